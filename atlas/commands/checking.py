"""Runs all checks for a command, with what they need: the pinned files and the Node process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from atlas.checks.memory import Memory
from atlas.checks.pinned import MissingSources
from atlas.checks.run import Outcome, check_project
from atlas.commands.progress import Counting, Waiting
from atlas.entries.atlas import Atlas
from atlas.entries.manifest import Manifest
from atlas.exceptions import NodeError
from atlas.issues import Issue
from atlas.kept import Kept
from atlas.links.check import check_links
from atlas.node.environment import Environment, prepare
from atlas.node.typesetter import Typesetter
from atlas.project import Project
from atlas.sources.store import SourceStore
from atlas.spread import Executor


class Checker:
    """Checks a project, as often as wanted, with one Node process; what has not changed is not checked again."""

    def __init__(
        self,
        node: Typesetter,
        kept: Kept,
        counting: Counting,
        *,
        offline: bool,
        executor: Executor | None = None,
    ) -> None:
        self.memory = Memory()
        self._node = node
        self._kept = kept
        self._counting = counting
        self._offline = offline
        self._executor = executor
        self._store: tuple[Mapping[str, Manifest], SourceStore] | None = None

    def check(
        self, project: Project, missing: MissingSources, concerns: Callable[[str], bool] | None = None
    ) -> Outcome:
        """All checks over the project, or over what of it is asked about."""
        return check_project(
            project.root,
            project.content,
            project.sources,
            make_store=self._store_of,
            typesetter=self._node.typeset,
            missing=missing,
            concerns=concerns,
            memory=self.memory,
            kept=self._kept,
            executor=self._executor,
            counting=self._counting,
        )

    def links(self, project: Project, atlas: Atlas) -> list[Issue]:
        """What is wrong with links, addresses and prose, which no build is needed for."""
        return check_links(project, atlas, self._node.typeset)

    def _store_of(self, atlas: Atlas) -> SourceStore:
        """The store of the last run while the manifests are the same: what it could not bring is not tried again."""
        manifests = {name: source.data for name, source in atlas.sources.items()}
        if self._store is None or self._store[0] != manifests:
            self._store = manifests, SourceStore(manifests, offline=self._offline, progress=self._counting.bringing)
        return self._store[1]


@contextmanager
def checker(offline: bool, executor: Executor | None = None) -> Iterator[Checker]:
    """A checker between its beginning and its end; what can be done elsewhere is done by the executor."""
    with Kept() as kept, Typesetter(kept, partial(node_environment, offline)) as node, Counting("checking") as counting:
        yield Checker(node, kept, counting, offline=offline, executor=executor)


def checked_project(
    project: Project,
    offline: bool,
    missing: MissingSources,
    concerns: Callable[[str], bool] | None = None,
    executor: Executor | None = None,
) -> Outcome:
    """All checks over the project, or over what of it is asked about, once."""
    with checker(offline, executor) as made:
        return made.check(project, missing, concerns)


def node_environment(offline: bool) -> Environment:
    """The Node environment, with a word where making it takes long; offline nothing is brought for it.

    Raises:
        NodeError: it cannot be made.
    """

    def bringing(what: str) -> None:
        if offline:
            raise NodeError(
                "the Node environment that formulas are typeset with is not in the cache, and --offline forbids to "
                "bring it; run `atlas fetch` where there is a network"
            )
        waiting.begin(what)

    with Waiting() as waiting:
        return prepare(progress=bringing)
