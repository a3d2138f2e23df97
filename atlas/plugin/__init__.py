"""The atlas as a MkDocs plugin: the one room that imports MkDocs, so that another host could drive the rest."""

from atlas.plugin.events import AtlasPlugin

__all__ = ["AtlasPlugin"]
