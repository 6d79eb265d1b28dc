"""Where the time of an invocation went: model calls, tool runs and inner runs as spans.

The recorder tells model calls and tool runs as they happen. A session that was
recorded elsewhere has only its events; then the spans between them are what
can be said, and they are marked as guessed. A run that waited for a person may
last for days: pauses in which nothing ran are folded, so that the work between
them can be seen.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from adk_tui.core.event_log import EventLog
from adk_tui.core.records import EventRecord, Usage
from adk_tui.core.reports import ModelCall, ToolRun

SpanKind: TypeAlias = Literal["model", "tool", "inner"]

PAUSE = 1.0
"""Seconds without any work from which a pause may be folded."""
SHARE = 0.25
"""A pause is folded where it is longer than this share of the time that was worked."""
FOLDED = 0.06
"""The share of the picture a folded pause keeps."""

NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Span:
    """Something that took time. ``end`` 0 means it still runs; times are wall-clock seconds.

    ``depth`` counts the tools around it. ``first_token`` is when a streamed
    answer began, 0 unknown. ``guessed``: told by the times of events only.
    ``inner`` says of a tool that it ran an agent of its own.
    """

    key: str
    kind: SpanKind
    label: str
    agent: str
    start: float
    end: float = 0.0
    depth: int = 0
    first_token: float = 0.0
    usage: Usage | None = None
    error: str = ""
    event_id: str = ""
    guessed: bool = False

    def seconds(self, now: float = 0.0) -> float:
        """How long it took, or has taken until ``now``."""
        return max(0.0, (self.end or now or self.start) - self.start)

    @property
    def wait(self) -> float:
        """Seconds until the first token, 0 unknown."""
        return max(0.0, self.first_token - self.start) if self.first_token else 0.0


@dataclass(frozen=True, slots=True)
class AgentSum:
    """What one agent did in an invocation. ``seconds`` are spent in the model and in tools."""

    agent: str
    calls: int = 0
    model_seconds: float = 0.0
    tools: int = 0
    tool_seconds: float = 0.0
    usage: Usage = NO_USAGE


@dataclass(frozen=True, slots=True)
class Pause:
    """A stretch in which nothing ran."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Waterfall:
    """An invocation in time. ``spans`` are in order of their start, inner ones below their tool."""

    invocation_id: str
    start: float
    end: float
    spans: tuple[Span, ...]
    sums: tuple[AgentSum, ...]
    pauses: tuple[Pause, ...] = ()
    running: bool = False
    guessed: bool = False

    @property
    def usage(self) -> Usage:
        """The tokens of all its model calls."""
        total = NO_USAGE
        for each in self.sums:
            total = add(total, each.usage)
        return total

    @property
    def busy(self) -> float:
        """Seconds from the beginning to the end, without the folded pauses."""
        return max(0.0, self.end - self.start - sum(p.end - p.start for p in self.pauses))


def add(one: Usage, other: Usage) -> Usage:
    """Two counts of tokens together."""
    return Usage(
        one.prompt + other.prompt,
        one.output + other.output,
        one.thoughts + other.thoughts,
        one.cached + other.cached,
        one.total + other.total,
    )


def waterfall(
    invocation_id: str,
    log: EventLog,
    calls: Iterable[ModelCall],
    runs: Iterable[ToolRun],
    *,
    now: float = 0.0,
) -> Waterfall:
    """The spans of an invocation, those of the inner runs of its tools included.

    ``now`` ends what still runs, for the picture only.
    """
    known = _Known(list(calls), list(runs))
    spans = list(known.spans(invocation_id))
    events = [log[i] for i in log.by_invocation(invocation_id) if not log[i].inner_of]
    guessed = not spans
    if guessed:
        spans = list(_guess(events))
    times = [e.timestamp for e in events if e.timestamp > 0]
    starts = [s.start for s in spans] + times
    ends = [s.end or max(now, s.start) for s in spans] + times
    start, end = min(starts, default=0.0), max(ends, default=0.0)
    return Waterfall(
        invocation_id,
        start,
        end,
        tuple(spans),
        _sums(spans, now),
        _pauses(spans, start, end, now),
        running=any(not s.end for s in spans),
        guessed=guessed and bool(spans),
    )


class _Known:
    """The recorder's calls and runs, by the tool call they happened in."""

    def __init__(self, calls: list[ModelCall], runs: list[ToolRun]) -> None:
        self._below: dict[str, list[ModelCall | ToolRun]] = {}
        for told in (*calls, *runs):
            self._below.setdefault(told.parent_call_id, []).append(told)

    def spans(self, invocation_id: str) -> Iterable[Span]:
        top = [t for t in self._below.get("", ()) if t.invocation_id == invocation_id]
        yield from self._tell(top, 0, frozenset())

    def _tell(
        self, told: Sequence[ModelCall | ToolRun], depth: int, above: frozenset[str]
    ) -> Iterable[Span]:
        for each in sorted(told, key=lambda t: t.started):
            if isinstance(each, ModelCall):
                yield _model_span(each, depth)
                continue
            inner = () if each.call_id in above else self._below.get(each.call_id, ())
            yield _tool_span(each, depth, inner=bool(inner))
            if inner and each.call_id:
                yield from self._tell(inner, depth + 1, above | {each.call_id})


def _model_span(call: ModelCall, depth: int) -> Span:
    return Span(
        key=f"m:{call.id}",
        kind="model",
        label=call.model or "model",
        agent=call.agent,
        start=call.started,
        end=call.ended,
        depth=depth,
        first_token=call.first_token if call.chunks > 1 else 0.0,
        usage=call.usage,
        error=call.error,
        event_id=call.event_id,
    )


def _tool_span(run: ToolRun, depth: int, *, inner: bool) -> Span:
    return Span(
        key=f"t:{run.call_id}",
        kind="inner" if inner else "tool",
        label=run.name,
        agent=run.agent,
        start=run.started,
        end=run.ended,
        depth=depth,
        error=run.error,
    )


def _guess(events: Sequence[EventRecord]) -> Iterable[Span]:
    """Spans between events: a final event of an agent ends what began with the one before."""
    finals = [e for e in events if not e.partial and e.timestamp > 0]
    opened: dict[str, float] = {}
    for before, event in pairwise(finals):
        for call in before.calls:
            opened[call.id] = before.timestamp
        if event.author == "user" or event.timestamp < before.timestamp:
            continue
        key = event.id
        if event.responses:
            for response in event.responses:
                start = opened.get(response.id, before.timestamp)
                yield Span(
                    f"g:{key}:{response.id}",
                    "tool",
                    response.name,
                    event.author,
                    start,
                    event.timestamp,
                    event_id=key,
                    guessed=True,
                )
        elif event.parts or event.error_code:
            yield Span(
                f"g:{key}",
                "model",
                event.model_version or "model",
                event.author,
                before.timestamp,
                event.timestamp,
                usage=event.usage,
                error=event.error_code,
                event_id=key,
                guessed=True,
            )


def _sums(spans: Iterable[Span], now: float) -> tuple[AgentSum, ...]:
    found: dict[str, AgentSum] = {}
    for span in spans:
        s = found.get(span.agent, AgentSum(span.agent))
        seconds = span.seconds(now)
        if span.kind == "model":
            usage = add(s.usage, span.usage or NO_USAGE)
            s = AgentSum(
                s.agent, s.calls + 1, s.model_seconds + seconds, s.tools, s.tool_seconds, usage
            )
        else:
            s = AgentSum(
                s.agent, s.calls, s.model_seconds, s.tools + 1, s.tool_seconds + seconds, s.usage
            )
        found[span.agent] = s
    return tuple(found.values())


def _pauses(spans: Sequence[Span], start: float, end: float, now: float) -> tuple[Pause, ...]:
    gaps: list[Pause] = []
    reached = start
    for span in sorted(spans, key=lambda s: s.start):
        if span.start > reached:
            gaps.append(Pause(reached, span.start))
        reached = max(reached, span.start, span.end or now)
    if end > reached:
        gaps.append(Pause(reached, end))
    worked = end - start - sum(g.end - g.start for g in gaps)
    enough = max(PAUSE, SHARE * worked)
    return tuple(g for g in gaps if g.end - g.start > enough)


class Axis:
    """Wall-clock time to a place between 0 and 1, folded pauses taken in."""

    def __init__(self, of: Waterfall) -> None:
        pauses = of.pauses
        folded = min(FOLDED, 0.5 / len(pauses)) if pauses else 0.0
        scale = (1.0 - folded * len(pauses)) / of.busy if of.busy > 0 else 0.0
        self._times = [of.start]
        self._places = [0.0]
        for pause in pauses:
            self._add(pause.start, self._places[-1] + (pause.start - self._times[-1]) * scale)
            self._add(pause.end, self._places[-1] + folded)
        self._add(of.end, 1.0)
        self.folds = tuple((self.place(p.start), self.place(p.end)) for p in pauses)
        """The places that folded pauses take."""

    def _add(self, time: float, place: float) -> None:
        self._times.append(time)
        self._places.append(min(max(place, self._places[-1]), 1.0))

    def place(self, time: float) -> float:
        """Where a moment is; before the beginning 0, after the end 1."""
        at = bisect_right(self._times, time)
        if at == 0:
            return 0.0
        if at == len(self._times):
            return 1.0
        t0, t1 = self._times[at - 1], self._times[at]
        p0, p1 = self._places[at - 1], self._places[at]
        return p0 if t1 <= t0 else min(p0 + (p1 - p0) * (time - t0) / (t1 - t0), p1)


class TurnTokens:
    """The tokens of each invocation, in the order they began: what a sparkline draws.

    Each look costs only what is new in the log.
    """

    def __init__(self) -> None:
        self._generation = -1
        self._seen = 0
        self._totals: dict[str, int] = {}

    def of(self, log: EventLog) -> Sequence[int]:
        """The totals by now."""
        if log.generation != self._generation:
            self._generation, self._seen = log.generation, 0
            self._totals = {}
        history = log.history()
        for event in history[self._seen :]:
            if event.usage is not None:
                tokens = event.usage.total or event.usage.prompt + event.usage.output
                before = self._totals.get(event.invocation_id, 0)
                self._totals[event.invocation_id] = before + tokens
        self._seen = len(history)
        return tuple(self._totals.values())
