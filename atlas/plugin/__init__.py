"""The atlas as a MkDocs plugin: the one room that imports MkDocs, so that another host could drive the rest."""

from atlas.plugin.entry import AtlasPlugin

__all__ = ["AtlasPlugin"]
