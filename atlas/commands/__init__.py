"""The commands of the command line, a file each; here and in `cli.py` alone anything is printed."""
