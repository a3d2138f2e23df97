"""A YAML file → a typed, frozen entry that remembers the place of every field; all files → one resolved atlas."""
