"""Files that somebody begins with: a small atlas that works, and entries with marked blanks."""
