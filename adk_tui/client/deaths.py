"""Why a process ended, in a sentence a person can act on."""

import signal

from adk_tui.client.child import Death
from adk_tui.core.reports import Failure

SIGNALS = {
    signal.SIGSEGV: "it accessed invalid memory, as a faulty C extension does",
    signal.SIGABRT: "it aborted itself, as a failed assertion in C code does",
    signal.SIGBUS: "it accessed invalid memory",
    signal.SIGILL: "it executed an illegal instruction",
    signal.SIGFPE: "it did impossible arithmetic in C code",
    signal.SIGXCPU: "it used up its CPU time limit",
    signal.SIGTERM: "another process asked it to end",
}
REPLACED = Failure(
    "stopped.force",
    "Stopped by replacing the agent's process.",
    "Calls that were left without a response are closed as aborted.",
)
AGAIN = "Restart it: the same session is opened again. What was typed is kept."


def _cause(death: Death) -> str:
    if death.mute:
        return "closed its line to adk-tui and was ended"
    if death.killed:
        return "was killed on request"
    if death.memory:
        return "was killed by the system, which ran out of memory"
    if death.signal == signal.SIGKILL:
        return "was killed (SIGKILL): by another process, or by the system when memory ran out"
    if death.signal:
        try:
            name = signal.Signals(death.signal).name
        except ValueError:
            name = f"signal {death.signal}"
        why = SIGNALS.get(signal.Signals(death.signal)) if name.startswith("SIG") else None
        return f"was ended by {name}" + (f": {why}" if why else "")
    if death.code < 0:
        return "was lost"
    return f"ended by itself with exit code {death.code}"


def failure_of(death: Death, *, hello: bool) -> Failure:
    """The failure that a death is. ``hello``: whether the engine had begun to speak."""
    if death.error:
        return death.error
    lines = death.tail.strip().splitlines()[-20:]
    cause = _cause(death)
    if not hello and not death.killed:
        cause += " before it was up"
    last = f" Last output: {lines[-1][:200]}" if lines else ""
    return Failure(
        "process.died", f"The agent's process {cause}.{last}", AGAIN, details="\n".join(lines)
    )


def outcome_of(failure: Failure) -> str:
    """The failure in the few words of a status line."""
    return failure.message.partition(" Last output: ")[0].rstrip(".")
