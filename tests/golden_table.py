"""The recorded sessions, and the readable table of their tickets."""

import fnmatch
from collections.abc import Sequence
from pathlib import Path

from adk_tui.core.event_reader import read_event
from adk_tui.core.records import EventRecord
from adk_tui.core.tickets import Ticket, read_tickets

GOLDEN = Path(__file__).parent / "golden"
TABLE = GOLDEN / "tickets.txt"
FAMILIES = (
    "lro_*",
    "par_*",
    "conf_*",
    "auth_*",
    "input_*",
    "user_choice*",
    "cancel_*lro*",
    "rewind*",
    "compaction_pending_lro*",
)
HEADER = """\
Tickets of the recorded sessions. One line for each number of events after which they changed:
events read | agent.name#n kind state (human replies+agent replies), n counting repeated ids."""


def streams(*patterns: str) -> list[Path]:
    """All recorded files whose name without its ending fits a pattern; all without patterns."""
    found = sorted(GOLDEN.glob("*.jsonl"))
    if not patterns:
        return found
    return [f for f in found if any(fnmatch.fnmatch(f.name.split(".")[0], p) for p in patterns)]


def read(path: Path) -> list[EventRecord]:
    return [read_event(line) for line in path.read_bytes().splitlines()]


def _cell(ticket: Ticket) -> str:
    people = sum(r.author == "user" for r in ticket.replies)
    number = ticket.key.rpartition("#")[2]
    marks = "".join((" twice" if ticket.duplicate_id else "", " dead" if ticket.dead else ""))
    replies = f"({people}+{len(ticket.replies) - people})" if ticket.replies else ""
    return f"{ticket.agent}.{ticket.name}#{number} {ticket.kind} {ticket.state}{replies}{marks}"


def lines_of(name: str, events: Sequence[EventRecord]) -> list[str]:
    lines = [name]
    before: list[str] = []
    for count in range(len(events) + 1):
        cells = [_cell(t) for t in read_tickets(events[:count])]
        if cells != before:
            lines.append(f"  {count:2} | " + "; ".join(cells))
        before = cells
    if len(lines) == 1:
        lines.append("   - | no tickets")
    return lines


def table() -> str:
    lines = [HEADER]
    for path in streams(*FAMILIES):
        lines.append("")
        lines += lines_of(path.name.removesuffix(".jsonl"), read(path))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
