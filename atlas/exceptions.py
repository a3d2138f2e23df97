"""Every exception that the package raises on purpose.

AtlasError
├── ContentError            issues were found: carries them all
├── ProjectError            no project, or one whose mkdocs.yml cannot be read; a path that is no part of it
│   └── NoProjectError      there is none here
├── EditError               a file that is written in a way that an edit does not fit
├── ChangedError            what a build is made of was changed while it went on
├── FileTooLargeError       a file that is larger than what such a file may have
├── ConfigurationError      a configuration file that cannot be read
├── ContractError           an operator or contract is declared wrongly
├── ShapeError              arrays or axes that do not fit an operator's contract
├── OptionError             an option or initial value that an operator or layer does not take
├── UnknownOperatorError    no operator has that name: lists those that exist
├── UninitializedError      a layer's parameter is used before its first call made it
├── FormulaError            a formula that cannot be read or executed, or that differs from its reference
├── SizeError               a size expression that cannot be read or has no value
│   └── TooLargeError       a forward pass that would take more memory than it may
├── UnknownValueError       no value of a model has that name: tells the nearest
├── ForwardError            a step of a forward pass that cannot be taken
├── NodeError               the Node environment or its process failed
├── DisplayError            KaTeX refuses a formula
├── DiagramError            a diagram or picture whose data contradict themselves, or that cannot be laid out
├── ExecutorError           work that was given to other processes or machines did not come back
├── UpstreamError           upstream code could not be executed
│   └── LibraryError        the upstream library is not installed, or is not the pinned one
└── SourceError             a pinned source could not be brought or does not hold
    ├── OfflineError        not in the cache, and no network or not allowed to use it
    ├── HashMismatchError   names the expected and the found hash
    ├── RevisionError       the revision does not exist in the repository
    ├── MissingFileError    the archive or the revision has no such file
    ├── ArchiveError        an archive that is damaged, too large or has escaping names
    └── ExcerptError        a line range or a symbol that the file does not have
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from atlas.issues import Issue, ordered, show


class AtlasError(Exception):
    """Base of all errors that are meant for the person who runs the atlas."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Let every one be sent from the process in which it was raised, whatever it is constructed with."""
        return _sent, (type(self), self.args, vars(self))


def _sent(kind: type[AtlasError], arguments: tuple[object, ...], fields: Mapping[str, object]) -> AtlasError:
    """An error as it was in the process that it comes from."""
    error = kind.__new__(kind, *arguments)
    vars(error).update(fields)
    return error


class ContentError(AtlasError):
    """Issues in content; `issues` holds every one of them, sorted."""

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues = ordered(issues)
        super().__init__(show(self.issues))


class ProjectError(AtlasError):
    """There is no project here, its mkdocs.yml cannot be read, or a path or name is no part of it."""


class EditError(AtlasError):
    """A YAML file is written in a way that an edit does not fit, or two edits do not fit together."""


class NoProjectError(ProjectError):
    """There is no mkdocs.yml here."""


class ChangedError(AtlasError):
    """What a build is made of was changed while it went on, and would not fit to the rest."""


class FileTooLargeError(AtlasError):
    """A file is larger than the limit for its kind."""


class ConfigurationError(AtlasError):
    """A model's configuration file cannot be read, or holds no keys."""


class ContractError(AtlasError):
    """An operator or its contract is declared wrongly."""


class ShapeError(AtlasError):
    """Arrays or axes do not fit an operator's contract.

    `misfits` holds one (argument, message) for each that does not fit, in the contract's order, where known.
    """

    def __init__(self, message: str, misfits: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message)
        self.misfits = misfits


class OptionError(AtlasError):
    """An operator or layer is given an option or initial value that it does not take; `option` is its name.

    `fact` is what is wrong; the text of the error is that and `advice`, what to do, where there is any.
    """

    def __init__(self, fact: str, option: str, advice: str = "") -> None:
        super().__init__(f"{fact}; {advice}" if advice else fact)
        self.fact = fact
        self.option = option
        self.advice = advice


class UnknownOperatorError(AtlasError):
    """No operator has that name.

    `fact` says so, `exist` which there are, and `nearest` is the likeliest of these, where one is near. The text of the
    error is all of them.
    """

    def __init__(self, fact: str, exist: str, nearest: str | None = None) -> None:
        super().__init__(f"{fact}; {exist}" + (f"; did you mean {nearest}?" if nearest is not None else ""))
        self.fact = fact
        self.exist = exist
        self.nearest = nearest


class UninitializedError(AtlasError, AttributeError):
    """A layer's parameter is used before its first call made it; an AttributeError, so that `hasattr` says no."""


class SizeError(AtlasError):
    """A size expression cannot be read or has no value; the text is `fact`, and `advice` where there is any."""

    def __init__(self, fact: str, advice: str = "") -> None:
        super().__init__(f"{fact}; {advice}" if advice else fact)
        self.fact = fact
        self.advice = advice


class TooLargeError(SizeError):
    """A forward pass would hold more than it may; `needed` is how many bytes, as far as it was reckoned."""

    def __init__(self, message: str, needed: int) -> None:
        super().__init__(message)
        self.needed = needed


class UnknownValueError(AtlasError):
    """No value of the model has that name; the message tells the nearest that one has."""


class ForwardError(AtlasError):
    """A step of a forward pass cannot be taken; the message begins with where it is."""


class FormulaError(AtlasError):
    """A formula cannot be read or executed, or differs from its reference.

    `code` is a letter and three digits (`A214`), `span` the characters of the formula that the message is about (the
    first and the one after the last), `hint` the nearest fix or an empty string, `symbol` the name that the message
    is about, as it was written, where it is about one.
    """

    def __init__(
        self, code: str, message: str, span: tuple[int, int] = (0, 0), hint: str = "", symbol: str | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.hint = hint
        self.symbol = symbol


class NodeError(AtlasError):
    """The Node environment could not be made or its process failed."""


class DisplayError(AtlasError):
    """KaTeX refuses a formula; `position` is the 0-based offset in the formula, where known."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class DiagramError(AtlasError):
    """The data of a diagram or of a budget's picture contradict themselves, or the diagram cannot be laid out."""


class ExecutorError(AtlasError):
    """Work that was given to other processes or machines did not come back, or they cannot be reached."""


class UpstreamError(AtlasError):
    """Upstream code could not be executed over its facade, or an upstream model could not be built or run."""


class LibraryError(UpstreamError):
    """The library that a proof needs is not installed, or is not the pinned one; the message says what to do."""


class SourceError(AtlasError):
    """A pinned source could not be brought, or what was brought is not what was pinned.

    `fact` is what is wrong; `field` the key path in the manifest that it concerns, such as `("artifact", "sha256")`;
    `advice` what to do, which a command that knows better replaces, or an empty string. The text of the error is both.
    """

    def __init__(self, fact: str, field: tuple[str | int, ...] = (), advice: str = "") -> None:
        super().__init__(f"{fact}; {advice}" if advice else fact)
        self.fact = fact
        self.field = field
        self.advice = advice


class OfflineError(SourceError):
    """The file is not in the cache, and the network is not there or not allowed."""


class HashMismatchError(SourceError):
    """A hash differs from the pinned one; the message names both."""

    def __init__(self, what: str, expected: str, found: str, field: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"{what} is pinned as {expected} but is {found}", field)
        self.expected = expected
        self.found = found


class RevisionError(SourceError):
    """The pinned revision does not exist in the repository."""


class MissingFileError(SourceError):
    """The archive or the revision holds no such file."""


class ArchiveError(SourceError):
    """An archive is damaged, too large, or holds names that leave it."""


class ExcerptError(SourceError):
    """A line range or symbol that the pinned file does not have."""
