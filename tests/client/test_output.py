"""What an agent prints: cut into records, attributed, bounded, kept safely."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from adk_tui.client.output import (
    CHUNK,
    TAIL,
    Allowance,
    OutputLog,
    OutputPump,
    ToolTimes,
    size_text,
)
from adk_tui.core.reports import Output, ToolRun


def run(call: str, started: float, ended: float = 0.0, parent: str = "") -> ToolRun:
    return ToolRun(call, f"tool-{call}", "a", "i", parent, started, ended)


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.005)


def pump(tools: ToolTimes | None = None) -> tuple[OutputPump, int, list[Output]]:
    told: list[Output] = []

    def take(output: Output) -> bool:
        told.append(output)
        return True

    reader, writer = os.pipe()
    made = OutputPump({reader: "stdout"}, take, tools or ToolTimes())
    made.start()
    return made, writer, told


def test_the_one_tool_that_ran_is_named_and_several_are_not() -> None:
    tools = ToolTimes()
    tools.note(run("1", 10.0))
    assert tools.at(9.0) == ""
    assert tools.at(11.0) == "tool-1"
    tools.note(run("2", 12.0))
    assert tools.at(11.0) == "tool-1"
    assert tools.at(13.0) == ""
    tools.note(run("1", 10.0, 14.0))
    assert tools.at(15.0) == "tool-2"
    assert tools.at(13.0) == ""


def test_of_an_agent_tool_and_the_tool_inside_it_the_inner_one_is_named() -> None:
    tools = ToolTimes()
    tools.note(run("outer", 10.0))
    tools.note(run("inner", 11.0, parent="outer"))
    assert tools.at(12.0) == "tool-inner"


def test_what_a_tool_prints_between_other_lines_is_told_by_itself() -> None:
    tools = ToolTimes()
    made, writer, told = pump(tools)
    os.write(writer, b"before\n")
    wait_for(lambda: told)
    tools.note(run("1", time.time()))
    os.write(writer, b"inside\n")
    wait_for(lambda: len(told) == 2)
    tools.note(run("1", time.time(), time.time() - 1))
    os.write(writer, b"after\n")
    os.close(writer)
    made.stop(30)
    assert [(o.text, o.tool) for o in told] == [
        ("before\n", ""),
        ("inside\n", "tool-1"),
        ("after\n", ""),
    ]


def test_characters_cut_in_half_between_reads_come_out_whole_and_bad_bytes_visible() -> None:
    made, writer, told = pump()
    euro = "€".encode()
    os.write(writer, b"a" + euro[:1])
    wait_for(lambda: told)
    os.write(writer, euro[1:] + b"\xff\n")
    os.close(writer)
    made.stop(30)
    assert "".join(o.text for o in told) == "a€\\xff\n"


def test_a_line_without_an_end_is_told_after_a_while() -> None:
    made, writer, told = pump()
    os.write(writer, b"Proceed? ")
    wait_for(lambda: told)
    assert told[0].text == "Proceed? "
    os.close(writer)
    made.stop(30)


def test_a_long_line_comes_in_pieces_and_the_tail_is_kept() -> None:
    made, writer, told = pump()
    size = 5 * CHUNK
    sent = 0
    while sent < size:
        sent += os.write(writer, b"x" * (size - sent))
    os.write(writer, b"\nthe end\n")
    os.close(writer)
    made.stop(30)
    assert max(len(o.text) for o in told) <= CHUNK
    assert sum(len(o.text) for o in told) == size + len("\nthe end\n")
    assert made.tail.endswith("the end\n")
    assert len(made.tail) <= TAIL


def test_a_burst_is_allowed_and_a_flood_is_not() -> None:
    allowance = Allowance(burst=100, rate=0)
    assert [allowance.take(60), allowance.take(60), allowance.take(1)] == [60, 40, 0]


def test_the_file_holds_no_secret_and_no_escape_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    path.touch(mode=0o644)
    log = OutputLog(path)
    log.write(Output("stderr", "\x1b[31mpassword=hunter22\x1b[0m\x1b[2J\n", 1.0, "pay"))
    log.write(Output("stderr", "more\n", 2.0, "pay"))
    log.close()
    text = path.read_text()
    assert "\x1b" not in text
    assert "hunter22" not in text
    assert text.count("stderr pay") == 1
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_file_is_turned_over_when_full(tmp_path: Path) -> None:
    log = OutputLog(tmp_path / "agent.log", limit=1000)
    for n in range(100):
        log.write(Output("stdout", f"line {n} {'x' * 50}\n", 1.0))
    log.close()
    files = list(tmp_path.iterdir())
    assert {f.name for f in files} == {"agent.log", "agent.log.1"}
    assert all(f.stat().st_size <= 1100 for f in files)
    assert "line 99" in (tmp_path / "agent.log").read_text()


def test_a_full_disk_loses_lines_and_nothing_else(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        return
    full = OutputLog(Path("/dev/full"))
    full.write(Output("stdout", "x"))
    assert "not a regular file" in full.problem
    path = tmp_path / "gone" / "agent.log"
    log = OutputLog(path)
    path.parent.write_text("in the way")
    log.write(Output("stdout", "lost"))
    assert str(path) in log.problem
    path.parent.unlink()
    log.write(Output("stdout", "kept"))
    assert log.problem == ""
    assert "kept" in path.read_text()


def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    other = tmp_path / "precious"
    other.write_text("mine")
    (tmp_path / "agent.log").symlink_to(other)
    log = OutputLog(tmp_path / "agent.log")
    log.write(Output("stdout", "x"))
    assert log.problem
    assert other.read_text() == "mine"


def test_sizes_are_told_for_a_person() -> None:
    assert [size_text(n) for n in (7, 1500, 2_500_000, 10**13)] == [
        "7 bytes",
        "1.5 kB",
        "2.5 MB",
        "10000.0 GB",
    ]
