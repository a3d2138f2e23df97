"""The project that the command line works on: found from a folder upward by its mkdocs.yml, as MkDocs itself reads it.

Only the few settings that the atlas needs are read, and without MkDocs, so that checks run where no site is built.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, cast
from urllib.parse import urlsplit

import yaml

from atlas.entries.folders import shown_path
from atlas.entries.settings import CONFIG_NAMES, PLUGIN, unknown_options
from atlas.exceptions import NoProjectError, ProjectError
from atlas.issues import Issue

THEME = "openmodelatlas"
"""The name of the atlas's own theme."""
OPTIONS = ("sources", "missing_sources", "data_license", "redirects", "enabled")
"""The options of the plugin, with the one that MkDocs gives to every plugin."""
MISSING_SOURCES = ("fail", "link")
LEVELS: Mapping[str, str] = MappingProxyType(
    {"not_found": "warn", "absolute_links": "info", "unrecognized_links": "info", "anchors": "info"}
)
"""What MkDocs takes for those parts of `validation` that are about links."""


@dataclass(frozen=True, slots=True)
class Project:
    """Where a project's parts are."""

    config: Path
    """Its mkdocs.yml."""
    root: Path
    """The folder of mkdocs.yml, to which issues' paths are relative."""
    content: Path
    """The folder of collections: MkDocs' `docs_dir`."""
    sources: Path
    """The folder of source manifests: the plugin's `sources`."""
    missing_sources: Literal["fail", "link"]
    """What the plugin does where a pinned file is not at hand."""
    has_plugin: bool
    """Whether mkdocs.yml lists the plugin, without which MkDocs makes no pages of entries."""


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """What mkdocs.yml says of the addresses of a site, and of links to them."""

    root_path: str
    """The path of the site's root, ending in a slash; empty where no `site_url` tells it."""
    has_folders: bool
    """Whether each page of prose is served at a folder's address: `use_directory_urls`."""
    hidden: str
    """Patterns of files that are not published, as `.gitignore` has them: `exclude_docs` and `draft_docs`."""
    redirects: Mapping[str, str]
    """The plugin's `redirects`."""
    templates: tuple[Path, ...]
    """The theme's `custom_dir`, where there is one."""
    has_own_theme: bool
    """Whether the theme is the atlas's own."""
    levels: Mapping[str, str]
    """How grave it is what MkDocs says of links: `warn`, `info` or `ignore`, by the names of its `validation`."""
    is_open: bool
    """Whether other plugins or hooks take part, which may add pages and files."""


def site_settings(project: Project) -> SiteSettings:
    """What a project's mkdocs.yml says of addresses and links; what it leaves out is what MkDocs takes for it.

    Raises:
        ProjectError: the file cannot be read.
    """
    settings = _settings(project.config, ())
    options = _plugin_options(settings.get("plugins"), project.config) or {}
    plugins = settings.get("plugins")
    names = {str(next(iter(one), "")) if isinstance(one, Mapping) else str(one) for one in _items(plugins)}
    theme, validation = _mapping(settings.get("theme")), _mapping(settings.get("validation"))
    custom = theme.get("custom_dir")
    name = theme.get("name") if theme else settings.get("theme")  # MkDocs takes a name alone, too
    site_url = settings.get("site_url")
    return SiteSettings(
        f"{urlsplit(str(site_url)).path.rstrip('/')}/" if site_url else "",
        settings.get("use_directory_urls", True) is not False,
        "\n".join(str(settings.get(key) or "") for key in ("exclude_docs", "draft_docs")),
        {str(old): str(new) for old, new in _mapping(options.get("redirects")).items()},
        (Path(os.path.normpath(project.root / custom)),) if isinstance(custom, str) else (),
        name == THEME,
        {**LEVELS, **validation, **_mapping(validation.get("links"))},
        bool(names - {PLUGIN, "search"}) or bool(settings.get("hooks")),
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _items(plugins: object) -> list[object]:
    """The plugins that are listed; MkDocs takes a list, or a mapping with their names as keys."""
    return plugins if isinstance(plugins, list) else list(_mapping(plugins))


def find_project(folder: Path) -> Project:
    """The project that a folder belongs to.

    Raises:
        ProjectError: neither the folder nor one above it has a mkdocs.yml, or that file is not one.
    """
    start = folder.resolve()
    for candidate in (start, *start.parents):
        if (config := _config_in(candidate)) is not None:
            return read_project(config)
    raise NoProjectError(f"there is no {CONFIG_NAMES[0]} in {start} or any folder above it")


def project_in(folder: Path) -> Project:
    """The project whose mkdocs.yml lies in this folder.

    Raises:
        ProjectError: there is none, or that file is not one.
    """
    config = _config_in(folder.resolve())
    if config is None:
        raise NoProjectError(f"there is no {CONFIG_NAMES[0]} in {folder}")
    return read_project(config)


def read_project(config: Path) -> Project:
    """The project of a mkdocs.yml; what the file leaves out is what MkDocs and the plugin take for it."""
    settings = _settings(config, ())
    stated = _plugin_options(settings.get("plugins"), config)
    options = stated or {}
    missing = options.get("missing_sources", MISSING_SOURCES[0])
    if missing not in MISSING_SOURCES:
        raise ProjectError(f"{config}: `missing_sources` is {missing!r}, not one of {', '.join(MISSING_SOURCES)}")
    root = config.parent
    return Project(
        config,
        root,
        _folder(settings.get("docs_dir", "docs"), "docs_dir", config),
        _folder(options.get("sources", "sources"), "sources", config),
        cast(Literal["fail", "link"], missing),
        stated is not None,
    )


def misspelt_options(project: Project) -> list[Issue]:
    """The options of the plugin in mkdocs.yml that it does not have, at which a build stops too."""
    return [
        Issue(
            shown_path(setting.file, project.root),
            *setting.key_place,
            "A101",
            f"`{setting.key}` is no option of the plugin {PLUGIN}",
            hint,
        )
        for setting, hint in unknown_options(project.config, OPTIONS)
    ]


def _config_in(folder: Path) -> Path | None:
    return next((folder / name for name in CONFIG_NAMES if (folder / name).is_file()), None)


def _folder(value: object, name: str, config: Path) -> Path:
    if not isinstance(value, str):
        raise ProjectError(f"{config}: `{name}` is {value!r}, not the path of a folder")
    return Path(os.path.normpath(config.parent / value))


def _settings(config: Path, heirs: tuple[Path, ...]) -> Mapping[str, Any]:
    """The file's settings over those of the file that it inherits from."""
    try:
        read = yaml.load(config.read_text(encoding="utf-8-sig"), _Tolerant)  # noqa: S506  it is a SafeLoader
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise ProjectError(f"{config} cannot be read: {' '.join(str(error).split())}") from error
    own = {} if read is None else read
    if not isinstance(own, dict):
        raise ProjectError(f"{config} holds no settings by name")
    parent = own.get("INHERIT")
    if parent is None:
        return own
    base = Path(os.path.normpath(config.parent / str(parent)))
    if base in (config, *heirs):
        raise ProjectError(f"{config} inherits from itself through {base}")
    return _merged(_settings(base, (config, *heirs)), own)


def _merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings inside mappings are merged, everything else is replaced, as MkDocs does for INHERIT."""
    both = {name: _merged(base[name], own[name]) for name in base.keys() & own.keys() if _are_mappings(base, own, name)}
    return {**base, **own, **both}


def _are_mappings(base: Mapping[str, Any], own: Mapping[str, Any], name: str) -> bool:
    return isinstance(base[name], dict) and isinstance(own[name], dict)


def _plugin_options(plugins: object, config: Path) -> Mapping[str, Any] | None:
    """The atlas plugin's options, or None where it is not listed; MkDocs takes names and mappings, or one mapping."""
    listed = plugins if isinstance(plugins, list) else [plugins]
    for one in listed:
        if one == PLUGIN:
            return {}
        if isinstance(one, dict) and PLUGIN in one:
            options = one[PLUGIN] if one[PLUGIN] is not None else {}
            if not isinstance(options, dict):
                raise ProjectError(f"{config}: the options of the plugin {PLUGIN} are {options!r}, not a mapping")
            return options
    return None


class _Tolerant(yaml.SafeLoader):
    """Reads what MkDocs' users write: `!ENV` is looked up, other tags mean nothing to the atlas."""

    yaml_multi_constructors: ClassVar[dict[str | None, Any]] = {"": lambda loader, _, node: loader.plain(node)}
    yaml_constructors: ClassVar[dict[str | None, Any]] = {
        **yaml.SafeLoader.yaml_constructors,
        "!ENV": lambda loader, node: loader.environment(node),
    }

    def plain(self, node: yaml.Node) -> object:
        """The value without its tag."""
        if isinstance(node, yaml.MappingNode):
            return self.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            return self.construct_sequence(node, deep=True)
        return self.construct_scalar(cast(yaml.ScalarNode, node))

    def environment(self, node: yaml.Node) -> object:
        """The first variable that is set, as YAML reads its value; else the last of several items, the default."""
        items = node.value if isinstance(node, yaml.SequenceNode) else [node]
        names, default = (items[:-1], items[-1]) if len(items) > 1 else (items, None)
        for name in names:
            if (value := os.environ.get(str(name.value))) is not None:
                return yaml.safe_load(value)
        return None if default is None else self.construct_object(default)
