"""The real environment, made once in the user's cache, and a running process for the tests that do not end it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from atlas.node.environment import Environment, prepare
from atlas.node.process import NodeProcess


@pytest.fixture(scope="session")
def environment() -> Environment:
    return prepare()


@pytest.fixture(scope="session")
def node(environment: Environment) -> Iterator[NodeProcess]:
    with NodeProcess(environment) as process:
        yield process
