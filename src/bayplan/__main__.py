"""Lets `python -m bayplan` be the command."""

from bayplan.cli.main import main

if __name__ == "__main__":
    main()
