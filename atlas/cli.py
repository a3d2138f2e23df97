"""The command line: the only printing and the only exit codes."""


def main() -> None:
    """Entry point of the `atlas` command."""
