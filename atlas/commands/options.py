"""Options that several commands have, so that they mean the same everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from atlas.commands.output import say
from atlas.entries.number_formats import number_format
from atlas.entries.settings import PLUGIN
from atlas.exceptions import ProjectError
from atlas.project import Project, find_project, project_in
from atlas.selection import Selection, select
from atlas.spread import Executor, cluster, cores

F = TypeVar("F", bound=Callable[..., Any])


class NumberFormat(click.Choice[str]):
    """A format of numbers, by any name that people give it, such as `fp32` for `float32`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The format as the atlas calls it; one that is known and not offered is told by that name too."""
        meant = number_format(value)
        if meant and meant not in self.choices:
            also = f" ({meant})" if meant != value else ""
            self.fail(f"{value!r}{also} is not one of {', '.join(map(repr, self.choices))}.", param, ctx)
        return super().convert(meant or value, param, ctx)


@dataclass(frozen=True, slots=True)
class Place:
    """Where work is done."""

    jobs: int | None
    """By so many processes of this machine; None where the command chooses."""
    dask: str | None
    """By the workers of the Dask scheduler at this address, where one is named."""

    @contextmanager
    def executor(self) -> Iterator[Executor | None]:
        """What does the work; None where the command chooses.

        Raises:
            ExecutorError: the cluster cannot be reached.
        """
        if self.dask is not None:
            with cluster(self.dask) as workers:
                yield workers
        elif self.jobs is not None:
            with cores(self.jobs) as processes:
                yield processes
        else:
            yield None


def on_a_project(command: F) -> F:
    """Give a command its `project`."""
    return click.option(
        "--project",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        callback=_found,
        metavar="DIR",
        help="The project's folder, which holds mkdocs.yml.  [default: the current folder, or the nearest above it]",
    )(command)


def printing_issues(command: F) -> F:
    """Give a command the `style` in which it prints issues."""
    return click.option(
        "--format",
        "style",
        type=click.Choice(["text", "json", "github"]),
        default="text",
        show_default=True,
        help="How issues are printed: for people, as one JSON list, or as annotations of GitHub Actions.",
    )(command)


def perhaps_offline(command: F) -> F:
    """Give a command `offline`."""
    return click.option(
        "--offline", is_flag=True, help="Never use the network; what is not in the cache is then missing."
    )(command)


def perhaps_elsewhere(command: F) -> F:
    """Give a command the `place` where its work is done."""

    @wraps(command)
    def placed(*arguments: Any, jobs: int | None, dask: str | None, **rest: Any) -> Any:
        if jobs is not None and dask is not None:
            raise click.UsageError("--jobs and --dask say both where the work is done; give one of them")
        return command(*arguments, place=Place(jobs, dask), **rest)

    by_jobs = click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="Do the work in N processes of this machine; 1 starts none.",
    )
    by_dask = click.option(
        "--dask",
        metavar="ADDRESS",
        help="Do the work on the Dask cluster whose scheduler is at ADDRESS, such as tcp://10.0.0.1:8786; its workers "
        "need the same versions as this machine.",
    )
    return cast(F, by_jobs(by_dask(placed)))


def selection(ctx: click.Context, project: Project, names: Sequence[str]) -> Selection | None:
    """What is asked about; None where that is everything."""
    try:
        return select(project, names, Path.cwd()) if names else None
    except ProjectError as error:
        raise click.UsageError(str(error), ctx) from error


def _found(ctx: click.Context, _: click.Parameter, folder: Path | None) -> Project:
    try:
        project = find_project(Path.cwd()) if folder is None else project_in(folder)
    except ProjectError as error:
        hint = "; name the project's folder with --project" if folder is None else ""
        raise click.UsageError(f"{error}{hint}", ctx) from error
    if not project.has_plugin and not ctx.resilient_parsing:  # a completing shell would show it amid the line
        say(f"{project.config} does not list the plugin {PLUGIN}, so MkDocs makes no pages; add `plugins: [{PLUGIN}]`")
    return project
