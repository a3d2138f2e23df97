"""Checked entries → pages: code, prose, plain data for templates."""
