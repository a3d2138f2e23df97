"""One file per kind of proof; each turns resolved entries into issues and proved figures."""
