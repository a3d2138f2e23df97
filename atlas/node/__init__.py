"""The one Node process: KaTeX, used by the checks (can it be displayed?) and by rendering."""
