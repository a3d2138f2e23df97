"""Text and code → HTML that is safe: Markdown with one parser, source code highlighted line by line."""
