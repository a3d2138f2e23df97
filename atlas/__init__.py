"""OpenModelAtlas: documentation of neural-network architectures whose every claim is checked."""
