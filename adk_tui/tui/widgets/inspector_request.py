"""The page of the inspector that shows what the model was sent, and what had changed."""

from collections.abc import Iterator, Sequence

from adk_tui.core.brief import brief, prose
from adk_tui.core.event_reader import read_event
from adk_tui.core.jsontools import JsonObject, as_list, as_object, as_text, pick
from adk_tui.core.reports import ModelCall
from adk_tui.core.request_events import HOW, Sent, quoted_words, sources
from adk_tui.core.requests import (
    Change,
    Declaration,
    Found,
    Message,
    Request,
    RequestDiff,
    diff,
    previous_call,
    read_request,
    read_response,
)
from adk_tui.core.sanitize import line as one
from adk_tui.core.sanitize import mask_text
from adk_tui.core.summary import kind_of, one_line
from adk_tui.tui.widgets.event_rows import clock, span_text
from adk_tui.tui.widgets.inspector_summary import Subject, tokens
from adk_tui.tui.widgets.page_view import Block, fact, text_body
from adk_tui.tui.widgets.pretty import pretty
from adk_tui.tui.widgets.text_lines import Line, Span

MOST_HIDDEN = 300
"""Hidden events a page lists; the event stream has all of them."""


def no_call(subject: Subject) -> str:
    """Why there is no request to show, as a sentence or two."""
    record = subject.record
    if not subject.view.calls:
        return (
            "No request to a model is known in this session. Requests are kept from the moment "
            "adk-tui runs the agent; what ran elsewhere before left only its events."
        )
    if record.author == "user":
        return "No request to a model followed this message in its invocation."
    return (
        "No request to a model is known for this event: no model made it, or its request was "
        "not kept (the oldest are dropped first)."
    )


def link_line(found: Found, width: int) -> list[Line]:
    """What the call has to do with the event."""
    words = {
        "made": "This event is the model's answer to this request.",
        "failed": "This request failed; the event tells how.",
        "next": "No model made this event. This is the first request after it.",
    }[found.link]
    return [[(words, "line--muted")]] if len(words) <= width else [*fact("", words, width)]


def call_facts(call: ModelCall, reveal: bool, width: int) -> Iterator[Line]:
    """Who asked which model, when, and how long it took."""
    yield from fact("agent", one(call.agent, 80), width)
    yield from fact("model", one(call.model, 80) or "not told", width)
    took = span_text(call.ended - call.started) if call.ended else "still running"
    if call.first_token and call.chunks > 1:
        took += f"   first token after {span_text(call.first_token - call.started)}"
        took += f"   {call.chunks} pieces"
    yield from fact("sent", f"{clock(call.started)}   {took}", width)
    if call.usage:
        yield from fact("tokens", tokens(call.usage), width)
    if call.error:
        words = call.error if reveal else mask_text(call.error)
        yield from fact("error", one(words, 1_000), width, "line--error")


def request_page(subject: Subject, found: Found) -> list[Block]:
    """The page for a call."""
    call, reveal = found.call, subject.reveal
    request = read_request(call.request)

    def facts(width: int) -> list[Line]:
        return [*link_line(found, width), *call_facts(call, reveal, width)]

    blocks = [Block("facts", [], facts, fixed=True)]
    if request.problem:
        words = request.problem
        if not call.request and not call.ended:
            words = "The request is on its way; it is told when the call has ended."
        elif not call.request:
            words += " Only the newest are, up to a limit."
        blocks.append(Block("problem", [(words, "line--warning")], gap=True))
        return blocks
    before = previous_call(call, subject.view.calls.values())
    blocks += _changes(before, request, reveal)
    blocks.append(_system(request, reveal))
    blocks += _messages(subject, call, request)
    blocks += _tools(request, reveal)
    if request.config:
        body = text_body(pretty(request.config, reveal), reveal=True)
        count = f"  {len(request.config)} setting{_s(len(request.config))}"
        head: Line = [("Configuration", "line--heading"), (count, "line--muted")]
        blocks.append(Block("config", head, body, gap=True))
    return blocks


def _system(request: Request, reveal: bool) -> Block:
    size = f"  {len(request.system):,} characters" if request.system else "  none"
    head: Line = [("System instruction", "line--heading"), (size, "line--muted")]
    body = text_body(request.system, reveal=reveal) if request.system else None
    return Block("system", head, body, open=len(request.system) < 1_200, gap=True)


# What changed since the request before


def _changes(before: ModelCall | None, request: Request, reveal: bool) -> Iterator[Block]:
    title: Span = ("Since this agent's previous request", "line--heading")
    if before is None:
        yield Block("diff", [title, ("  this is its first one", "line--muted")], gap=True)
        return
    old = read_request(before.request)
    if old.problem:
        yield Block("diff", [title, ("  it was not kept", "line--muted")], gap=True)
        return
    change = diff(old, request)
    if change.only_grew:
        words = f"  {len(change.added)} new message{_s(len(change.added))}, nothing else"
    else:
        words = "  " + ", ".join(_counts(change))
    yield Block(
        "diff",
        [title, (words, "line--muted")],
        lambda width: list(_diff_lines(change, reveal, width)),
        open=True,
        gap=True,
    )


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _counts(change: RequestDiff) -> Iterator[str]:
    if change.model:
        yield "another model"
    if change.system:
        yield "instruction changed"
    for what, changes in (("tool", change.tools), ("setting", change.config)):
        if changes:
            yield f"{len(changes)} {what}{_s(len(changes))} changed"
    if change.removed:
        yield f"{len(change.removed)} message{_s(len(change.removed))} gone"
    if change.added:
        yield f"{len(change.added)} new"


def _diff_lines(change: RequestDiff, reveal: bool, width: int) -> Iterator[Line]:
    def told(sign: str, text: str) -> Line:
        look = {"+": "line--added", "-": "line--removed"}.get(sign, "line--muted")
        return [(f"{sign} ", look), (prose(text, max(width, 20) * 2, reveal=reveal), look)]

    if change.model:
        yield told("-", f"model {change.model[0]}")
        yield told("+", f"model {change.model[1]}")
    for sign, text in change.system:
        yield told(sign, text)
    for what, changes in (("tool", change.tools), ("setting", change.config)):
        for each in changes:
            yield from (told(sign, text) for sign, text in _told_change(what, each, reveal))
    if change.same:
        yield [(f"  {change.same} message{_s(change.same)} as before", "line--muted")]
    for message in change.removed:
        yield told("-", f"{message.role}: {_said(message, reveal)}")
    for message in change.added:
        yield told("+", f"{message.role}: {_said(message, reveal)}")


def _told_change(what: str, change: Change, reveal: bool) -> Iterator[tuple[str, str]]:
    name = f"{what} {change.name}"
    if what == "tool":
        sign = {"added": "+", "removed": "-", "changed": "~"}[change.kind]
        yield sign, name if change.kind != "changed" else f"{name} is declared otherwise"
        return
    if change.kind != "added":
        yield "-", f"{name} = {brief(change.before, 300, reveal=reveal)}"
    if change.kind != "removed":
        yield "+", f"{name} = {brief(change.after, 300, reveal=reveal)}"


# Messages and the events they come from


def _said(message: Message, reveal: bool) -> str:
    if quoted := quoted_words(message):
        return prose(quoted, 400, reveal=reveal)
    record = read_event({"content": message.raw})
    return one_line(record, 400, reveal=reveal) or "nothing"


def _messages(subject: Subject, call: ModelCall, request: Request) -> Iterator[Block]:
    found = sources(request, call, subject.view.log, most_hidden=MOST_HIDDEN)
    count = len(request.messages)
    head: Line = [("Messages", "line--heading"), (f"  {count}", "line--muted")]
    yield Block("messages", head, gap=True)
    pairs = zip(request.messages, found.sent, strict=True)
    for number, (message, sent) in enumerate(pairs, 1):
        yield _message(number, message, sent, subject)
    if not found.hidden:
        return
    words = f"  {len(found.hidden) + found.more_hidden:,}"
    if found.more_hidden:
        words += f", the newest {len(found.hidden)} are"
    yield Block(
        "hidden", [("Events it does not hold", "line--heading"), (words, "line--muted")], gap=True
    )
    for hidden in found.hidden:
        record = subject.view.log[hidden.index]
        head = [
            (f"{clock(record.timestamp)}  ", "line--faint"),
            (f"{one(record.author, 16):<16} ", "line--muted"),
            (f"{kind_of(record):<9} ", "line--faint"),
            (one(hidden.reason, 200), ""),
        ]
        yield Block(f"hidden{hidden.index}", head, index=hidden.index)


def _message(number: int, message: Message, sent: Sent, subject: Subject) -> Block:
    reveal = subject.reveal
    role = one(message.role, 8) or "?"
    look = {"user": "line--user", "model": "line--accent"}.get(message.role, "line--muted")
    mark = {"quoted": "rewritten ", "added": "added ", "changed": "changed ", "merged": "merged "}
    note = {"summary": "summary ", "task": "task "} | mark

    def head(_: int) -> Line:
        return [
            (f"{number:>3} ", "line--faint"),
            (f"{role:<6} ", look),
            (note.get(sent.how, ""), "line--warning"),
            (_said(message, reveal), ""),
        ]

    return Block(
        f"message{number}", head, lambda width: list(_message_body(message, sent, subject, width))
    )


def _message_body(message: Message, sent: Sent, subject: Subject, width: int) -> Iterator[Line]:
    log = subject.view.log
    where = ", ".join(
        f"{one(log[i].author, 40)} at {clock(log[i].timestamp)}" for i in sent.events[:4]
    )
    more = f" and {len(sent.events) - 4} more" if len(sent.events) > 4 else ""
    yield from fact("comes from", f"{where}{more}" if where else "no event", width)
    yield from fact("sent", HOW[sent.how], width)
    for part in message.parts:
        text = part.get("text")
        thought: Sequence[Line] = (
            [[("thought", "line--muted")]] if part.get("thought") is True else []
        )
        yield from thought
        if isinstance(text, str):
            yield from text_body(text, reveal=subject.reveal)(width)
        else:
            yield from text_body(pretty(part, subject.reveal), reveal=True)(width)


# Tools


def _tools(request: Request, reveal: bool) -> Iterator[Block]:
    count = f"  {len(request.tools)}" if request.tools else "  none"
    yield Block("tools", [("Tools", "line--heading"), (count, "line--muted")], gap=True)
    for number, tool in enumerate(request.tools):
        yield tool_block(f"tool{number}", tool, reveal)


def tool_block(key: str, tool: Declaration, reveal: bool) -> Block:
    """A tool as the model is told of it: its name and parameters, and all of it below."""
    first = prose(tool.description.strip().split("\n")[0], 300, reveal=reveal)
    takes = "  built in" if tool.builtin else f"({', '.join(parameters(tool.raw))})"
    head: Line = [
        (one(tool.name, 80), "line--strong"),
        (takes, "line--muted"),
        (f"   {first}", "line--faint"),
    ]
    return Block(key, head, text_body(pretty(tool.raw, reveal), reveal=True))


def parameters(declaration: JsonObject) -> list[str]:
    """The parameters of a function declaration by name; optional ones with a question mark."""
    schema = as_object(pick(declaration, "parametersJsonSchema") or declaration.get("parameters"))
    needed = set(map(as_text, as_list(schema.get("required"))))
    names = map(str, as_object(schema.get("properties")))
    return [one(name, 40) + ("" if name in needed else "?") for name in names]


def response_facts(found: Found, reveal: bool, width: int) -> list[Line]:
    """The lines above a raw response."""
    call = found.call
    lines = [*link_line(found, width), *call_facts(call, reveal, width)]
    answer = read_response(call.response)
    if finish := pick(answer, "finishReason"):
        lines += fact("finish", one(str(finish), 80), width)
    if not call.response:
        words = "has not come yet" if not call.ended else "none came, or it was not kept"
        lines += fact("response", words, width, "line--warning")
    elif answer.get("partial") is True:
        lines += fact("response", "only its first piece came", width, "line--warning")
    return lines
