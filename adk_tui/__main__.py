"""The ``adk-tui`` script, and ``python -m adk_tui``."""

import sys


def main() -> None:
    """Run the command line; an interrupt while it is still being imported is no traceback."""
    try:
        from adk_tui.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
