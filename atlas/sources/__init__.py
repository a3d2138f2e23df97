"""A pin → the verified text of a file; the only code that touches the network."""
