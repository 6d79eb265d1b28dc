"""``python -m adk_tui``: the same as the ``adk-tui`` script."""

from adk_tui.cli import main

if __name__ == "__main__":
    main()
