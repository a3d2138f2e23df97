"""Runs all checks for a command, with what they need: the pinned files and the Node process."""

from __future__ import annotations

from atlas.checks.run import Outcome, check_project
from atlas.checks.sources import MissingSources
from atlas.commands.output import ProgressDisplay, say
from atlas.exceptions import NodeError
from atlas.node.environment import Environment, prepare
from atlas.node.process import NodeProcess
from atlas.project import Project
from atlas.sources.store import SourceStore


def checked_project(project: Project, offline: bool, missing: MissingSources) -> Outcome:
    """All checks over the project."""
    with NodeProcess(node_environment(offline)) as node, ProgressDisplay() as progress:
        return check_project(
            project.root,
            project.content,
            project.sources,
            make_store=lambda atlas: SourceStore(
                {name: source.data for name, source in atlas.sources.items()}, offline=offline, progress=progress
            ),
            typesetter=node.typeset,
            missing=missing,
        )


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
        say(what)

    return prepare(progress=bringing)
