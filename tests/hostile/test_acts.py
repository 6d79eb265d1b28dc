"""What agent code does to its process: the protocol survives, or its end is told and mended."""

import os
import random
import re
from collections.abc import Iterator

import pytest

from adk_tui.core.commands import Say, Stop
from tests.hostile.stage import Stage, stage

QUIET = [
    "chdir",
    "setlocale",
    "handlers",
    "terminal",
    "daemon",
    "thread",
    "fork",
    "spawn",
    "eater",
    "faulthandler",
    "read0",
    "readline",
    "garbage",
    "torn_garbage",
    "blocked",
    "busy_loop",
]
LOUD = [
    "print",
    "print_err",
    "fd1",
    "fd2",
    "no_newline",
    "child",
    "shell",
    "fork_print",
    "puts",
    "logs",
    "redrawn",
    "big",
    "bytes",
]
RAISING = [
    "input",
    "getpass",
    "raise",
    "deep",
    "raise_system_exit",
    "raise_interrupt",
    "raise_cancelled",
    "raise_exit_of_generator",
]
SILENCING = ["close0", "close1", "close2", "close_stdout", "null1", "null2", "replaced_streams"]
DEADLY = [
    "os_exit",
    "exit_zero",
    "segfault",
    "abort",
    "kill",
    "kill_group",
    "close_all",
    "exec",
    "exec_and_stay",
    "kill_parent",
]


@pytest.fixture(scope="module")
def shared() -> Iterator[Stage]:
    with stage() as it:
        yield it


@pytest.fixture
def alive(shared: Stage) -> Stage:
    if shared.dead:
        shared.revive()
    return shared


@pytest.mark.parametrize("name", LOUD)
def test_what_is_printed_is_kept_and_the_agent_goes_on(alive: Stage, name: str) -> None:
    mark = f"m{name}"
    done = alive.do(Say(f"do {mark} {name}"))
    assert done.ok, done
    alive.until(lambda: f"<{name}:{mark}>" in alive.output(), "the output")
    alive.answers(f"after {name}")


@pytest.mark.parametrize("name", QUIET)
def test_acts_against_the_process_are_survived(alive: Stage, name: str) -> None:
    done = alive.do(Say(f"do m {name}"))
    assert done.ok, done
    alive.answers(f"after {name}")
    assert not alive.dead


def test_keyboard_input_is_refused_with_what_to_use_instead(alive: Stage) -> None:
    for name in ("input", "getpass"):
        done = alive.do(Say(f"do m {name}"))
        assert done.failure is not None
        assert done.failure.message.startswith("The tool act raised EOFError")
        assert "LongRunningFunctionTool" in done.failure.hint
        assert "request_input" in done.failure.hint


def test_acts_that_end_the_process_are_told_and_a_restart_goes_on() -> None:
    with stage() as it:
        it.answers("first")
        for name in DEADLY:
            done = it.do(Say(f"do m {name}"))
            assert not done.ok, name
            it.until(lambda: it.dead, f"the death by {name}")
            assert done.failure is not None, name
            assert done.failure.code == "process.died", (name, done)
            it.revive()
            it.answers(f"after {name}")
        assert next(e.text for e in it.view.log.history() if e.author == "user") == "first"


@pytest.mark.parametrize("name", ["raise_interrupt", "raise_system_exit"])
def test_a_thread_that_is_left_behind_keeps_no_process_from_ending(name: str) -> None:
    with stage() as it:
        assert not it.do(Say(f"do m thread {name}")).ok
        it.until(lambda: it.dead, f"the death by {name}")
        it.revive()
        it.answers("after")


def test_nothing_outlives_an_agent_that_kills_what_looks_after_it() -> None:
    with stage() as it:
        assert not it.do(Say("do m daemon spawn kill_parent")).ok
        it.until(lambda: it.dead, "the death")
        it.until(lambda: not it.processes(), "the end of all that was started")
        it.revive()
        it.answers("after")


def program(chance: random.Random) -> list[str]:
    """One to five acts; seldom one of those that end the process."""
    acts = chance.choices(QUIET + LOUD + SILENCING, k=chance.randint(1, 4))
    last = chance.random()
    if last < 0.15:
        acts.append(chance.choice(DEADLY))
    elif last < 0.4:
        acts.append(chance.choice(RAISING))
    return acts


BLOCKED = re.compile(r"blocked for ([6-9]\d|\d\d\d)")
PROGRAMS = int(os.environ.get("ADK_TUI_FUZZ", "25"))
SEED = int(os.environ.get("ADK_TUI_SEED", "7"))


@pytest.mark.timeout(120 + 4 * PROGRAMS)
def test_random_programs_of_acts_never_confuse_the_protocol() -> None:
    """ADK_TUI_FUZZ=500 is the long run; ADK_TUI_SEED makes it another one."""
    chance = random.Random(SEED)
    with stage() as it:
        quiet = False
        for number in range(PROGRAMS):
            acts = program(chance)
            story = f"seed {SEED}, program {number}: {acts}"
            command = it.engine.submit(Say(f"do m{number} {' '.join(acts)}"))
            it.until(
                lambda c=command: c in it.ended or BLOCKED.search(it.view.status.detail),
                f"the end of {story}",
                100.0,
            )
            quiet = quiet or bool(set(acts) & set(SILENCING))
            if command not in it.ended:
                # Descriptor 1 or 2 now is something else, and a write to it may never end.
                assert quiet, story
                it.do(Stop(force=True))
                it.ready()
                quiet = False
                it.answers(f"after {number}")
                continue
            if acts[-1] in DEADLY:
                it.until(lambda: it.dead, f"the death by {story}")
            for name in acts:
                if name in LOUD and not quiet:
                    words = f"<{name}:m{number}>"
                    it.until(lambda w=words: w in it.output(), f"{words} of {story}")
            if it.dead:
                it.revive()
                quiet = False
            it.answers(f"after {number}")
            assert all(len(done) == 1 for done in it.ended.values()), story
