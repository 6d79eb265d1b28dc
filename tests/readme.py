"""Writes the README's tables of keys and options from the code they describe.

    python -m tests.readme

A test fails while the README and the code differ.
"""

import re
from pathlib import Path
from typing import Any

from typer.main import get_command

from adk_tui.cli import app
from adk_tui.settings import NAMES, PREFIX
from adk_tui.tui.actions import readme_table

README = Path(__file__).parents[1] / "README.md"


def options_table() -> str:
    """The options of ``run`` as a Markdown table."""
    group: Any = get_command(app)
    rows = ["| option | what it does | variable |", "|---|---|---|"]
    for option in group.commands["run"].params:
        if option.param_type_name != "option" or option.name == "help":
            continue
        value = f" {option.metavar}" if option.metavar else ""
        spelled = ", ".join(f"`{o}{value}`" for o in [*option.opts, *option.secondary_opts])
        variable = f"`{PREFIX}{option.name.upper()}`" if option.name in NAMES else ""
        rows.append(f"| {spelled} | {option.help} | {variable} |")
    return "\n".join(rows) + "\n"


def rendered(readme: str) -> str:
    """The README with its tables as they should be."""
    for marker, table in (("keys", readme_table()), ("options", options_table())):
        readme, count = re.subn(
            rf"(<!-- {marker} -->\n).*?(<!-- /{marker} -->)",
            lambda m, table=table: m[1] + table + m[2],
            readme,
            flags=re.S,
        )
        if count != 1:
            raise ValueError(f"The README has {count} places for the table of {marker}.")
    return readme


if __name__ == "__main__":
    README.write_text(rendered(README.read_text(encoding="utf-8")), encoding="utf-8")
