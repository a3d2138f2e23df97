"""Where mkdocs.yml says what, so that a finding about a setting names its file, line and key.

MkDocs reads settings without their places; only where something is wrong with one is the file looked at again.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from atlas.entries.folders import shown_path
from atlas.issues import Issue

CONFIG_NAMES = ("mkdocs.yml", "mkdocs.yaml")
PLUGIN = "atlas"


@dataclass(frozen=True, slots=True)
class Setting:
    """A key of mkdocs.yml, or of a file that it inherits from."""

    file: Path
    """The file."""
    key: str
    """The key."""
    key_place: tuple[int, int]
    """The 1-based line and column of the key."""
    value_place: tuple[int, int]
    """The 1-based line and column of its value."""


def settings_of_site(config: Path) -> list[Setting]:
    """The outermost settings; those of the file itself before those that it inherits."""
    return [setting for file, root in _files(config) for setting, _ in _pairs(file, root)]


def settings_of_plugin(config: Path) -> list[Setting]:
    """The options of the atlas's plugin; those of the file itself before those that it inherits."""
    return [
        option
        for file, root in _files(config)
        for outer, plugins in _pairs(file, root)
        if outer.key == "plugins"
        for one in (plugins.value if isinstance(plugins, yaml.SequenceNode) else [plugins])
        for plugin, options in _pairs(file, one)
        if plugin.key == PLUGIN
        for option, _ in _pairs(file, options)
    ]


def unknown_options(config: Path, known: Collection[str]) -> Iterator[tuple[Setting, str]]:
    """The options of the plugin that it does not have, each with what may have been meant."""
    for option in settings_of_plugin(config):
        if option.key not in known:
            near = difflib.get_close_matches(option.key, known, n=1)
            yield option, f"did you mean `{near[0]}`?" if near else f"there is {', '.join(f'`{one}`' for one in known)}"


def no_folder(folder: Path, root: Path, key: str) -> Issue:
    """The issue that a folder which mkdocs.yml names, as `docs_dir` or `sources`, is not there."""
    shown = shown_path(folder, root)
    config = next((root / name for name in CONFIG_NAMES if (root / name).is_file()), None)
    found: list[Setting] = []
    if config is not None:
        found = settings_of_plugin(config) if key == "sources" else settings_of_site(config)
    setting = next((one for one in found if one.key == key), None)
    if setting is None:
        hint = f"make it, or name the folder in {CONFIG_NAMES[0]} as `{key}`"
        return Issue(shown, 0, 0, "A001", "there is no such folder", hint)
    beside = sorted(one.name for one in folder.parent.iterdir() if one.is_dir()) if folder.parent.is_dir() else []
    near = difflib.get_close_matches(folder.name, beside, n=1)
    hint = f"did you mean `{shown_path(folder.parent / near[0], root)}`?" if near else "make it, or name another"
    message = f"`{key}` names the folder {shown}, which is not there"
    return Issue(shown_path(setting.file, root), *setting.value_place, "A001", message, hint)


def _files(config: Path) -> Iterator[tuple[Path, yaml.Node]]:
    """The file and those that it inherits from, as far as they can be read, with what YAML makes of them."""
    seen: set[Path] = set()
    while config not in seen:
        seen.add(config)
        try:
            root = yaml.compose(config.read_text(encoding="utf-8-sig"), yaml.SafeLoader)
        except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError):
            return  # whoever reads the settings tells this
        if root is None:
            return
        yield config, root
        parent = next((value for setting, value in _pairs(config, root) if setting.key == "INHERIT"), None)
        if isinstance(parent, yaml.ScalarNode):
            config = Path(os.path.normpath(config.parent / str(parent.value)))


def _pairs(file: Path, node: yaml.Node) -> Iterator[tuple[Setting, yaml.Node]]:
    """The keys of a mapping with their values; none of anything else."""
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if isinstance(key, yaml.ScalarNode):
            yield Setting(file, str(key.value), _place(key), _place(value)), value


def _place(node: yaml.Node) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1
