"""What may stand at the cursor of the prompt: commands, their arguments, files. No Textual."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adk_tui.client.paths import typed_path
from adk_tui.core.action_text import usage
from adk_tui.core.actions import ACTIONS, BY_SLASH
from adk_tui.core.sanitize import line

MOST = 50
"""Completions offered at once."""
SCAN = 2_000
"""Directory entries looked at."""

Vocabulary = Callable[[str], Sequence[tuple[str, str]]]
"""For an argument kind (``agent``, ``session`` …): the names and what each is."""

_FILE = re.compile(r'(?:^|(?<=\s))@(?:"([^"\n]*)|([^\s"]*))$')


@dataclass(frozen=True, slots=True)
class Choice:
    """``text`` replaces what lies between ``start`` and the cursor; ``note`` explains it.

    ``start`` is a column of the cursor's line. ``whole``: with it the command
    is complete and may be sent.
    """

    text: str
    note: str
    start: int
    whole: bool = False


def complete(before: str, first_line: bool, vocabulary: Vocabulary) -> tuple[Choice, ...]:
    """The choices for ``before``: the cursor's line up to the cursor."""
    if first_line and before.startswith("/") and not before.startswith("//"):
        return _command(before, vocabulary)
    if found := _FILE.search(before):
        typed = found.group(1) if found.group(1) is not None else found.group(2)
        return _files(typed, found.start())
    return ()


def _command(before: str, vocabulary: Vocabulary) -> tuple[Choice, ...]:
    word, space, rest = before[1:].partition(" ")
    if not space:
        found = [a for a in ACTIONS if a.slash and a.slash.startswith(word.lower())]
        return tuple(
            Choice(f"/{a.slash}", f"{usage(a)[len(a.slash) + 1 :]} {a.help}".strip(), 0, True)
            for a in found
        )
    action = BY_SLASH.get(word.lower())
    if action is None or not action.argument:
        return ()
    start = len(word) + 2
    names = vocabulary(action.argument)
    wanted = rest.lower()
    hits = [n for n in names if n[0].lower().startswith(wanted)]
    hits += [n for n in names if wanted in n[0].lower() and n not in hits]
    return tuple(Choice(name, note, start, True) for name, note in hits[:MOST])


def _files(typed: str, start: int) -> tuple[Choice, ...]:
    folder, _, stem = typed.rpartition("/")
    base = typed_path(folder + "/" if typed.startswith("/") or folder else ".")
    found: list[tuple[bool, str]] = []
    try:
        with os.scandir(base) as entries:
            for count, entry in enumerate(entries):
                if count >= SCAN:
                    break
                name = entry.name
                hidden = name.startswith(".") and not stem.startswith(".")
                if not hidden and name.lower().startswith(stem.lower()) and line(name) == name:
                    found.append((not entry.is_dir(), name))
    except OSError:
        return ()
    choices: list[Choice] = []
    for is_file, name in sorted(found)[:MOST]:
        path = (f"{folder}/" if "/" in typed else "") + name + ("" if is_file else "/")
        opened = f'@"{path}' if " " in path else f"@{path}"
        text = opened + ('"' if is_file and " " in path else "")
        choices.append(Choice(text, "" if is_file else "folder", start))
    return tuple(choices)


MENTION = re.compile(r'(?:^|(?<=\s))@(?:"([^"\n]+)"|([^\s"]+))')


def mentioned(text: str) -> tuple[str, ...]:
    """The paths after ``@`` in a message, each once, in order."""
    found = (a or b for a, b in MENTION.findall(text))
    return tuple(dict.fromkeys(found))
