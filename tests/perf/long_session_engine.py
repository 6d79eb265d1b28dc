"""An engine of one long session: it tells N stored events; the message ``rewind M`` undoes M turns.

    python long_session_engine.py N --stdout-fd F

It speaks the protocol and runs no agent, so that events come as fast as an app can take them.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from adk_tui.core.commands import Quit, Say
from adk_tui.core.reports import AgentNode, Done, Ready, SessionOpened, Status
from adk_tui.core.wire import (
    COMMAND_NAMES,
    Hello,
    Ping,
    Pong,
    Up,
    decode_command,
    encode_event,
    encode_record,
)
from tests.perf.made_events import ascii_json, made_event, made_rewind


def main() -> None:
    count = int(sys.argv[1])
    commands, frames = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")

    def send(*records: Up) -> None:
        for record in records:
            frames.write(encode_record(record))
        frames.flush()

    send(Hello(1, os.getpid(), "3", "0"), Status("loading"))
    agents = tuple(AgentNode(f"agent_{n}") for n in range(3))
    root = AgentNode("root", children=agents)
    send(Ready("long", root, "/nowhere", "user", "a file", capabilities=COMMAND_NAMES))
    send(SessionOpened("s1", "user", "long", count, "start"))
    for number in range(count):
        frames.write(encode_event(ascii_json(made_event(number))))
    send(Status("ready"))
    for line in commands:
        if not line.strip():
            continue
        command_id, command = decode_command(line)
        match command:
            case Ping():
                send(Pong(command.token))
                continue
            case Say():
                turns = int(command.text.split()[1])
                frames.write(encode_event(ascii_json(made_rewind(count, count - 4 * turns))))
                count += 1
            case Quit():
                send(Done(command_id))
                return
            case _:
                pass
        send(Done(command_id), Status("ready"))


if __name__ == "__main__":
    main()
