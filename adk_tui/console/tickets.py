"""Answers given by name or id, for front ends that have no form."""

from typing import Any

from adk_tui.client.answers import Problem, Value, check
from adk_tui.core.answer_rules import is_progress
from adk_tui.core.commands import Answer
from adk_tui.core.jsontools import as_object
from adk_tui.core.records import Response
from adk_tui.core.tickets import Ticket, TicketBook


class AnswerError(ValueError):
    """An answer that is not sent; the message says why and what would do."""


def find_ticket(book: TicketBook, name: str) -> Ticket:
    """The ticket a person or program means by its id, its call id or its tool's name.

    An id finds answered tickets too, a call id or a name only open ones. Raises
    AnswerError where nothing or more than one thing is meant.
    """
    if (exact := book.get(name)) is not None:
        return exact
    waiting = book.open
    for meant in (
        [t for t in waiting if t.call_id == name],
        [t for t in waiting if name in (t.name, t.function_name)],
    ):
        if len(meant) == 1:
            return meant[0]
        if meant:
            keys = ", ".join(t.key for t in meant)
            raise AnswerError(f"{len(meant)} tickets are open for {name!r}: name one, {keys}.")
    there = ", ".join(f"{t.key} ({t.name})" for t in waiting)
    raise AnswerError(
        f"No ticket is open for {name!r}. " + (f"Open are {there}." if there else "None is open.")
    )


def prepare(
    ticket: Ticket, value: Any, *, progress: bool | None = None, again: bool = False
) -> Answer:
    """The command that answers a ticket with a JSON value.

    ``progress`` keeps a long-running call open; None leaves that to the value,
    whose ``status`` may say that more will follow. Raises AnswerError where ADK
    would not take it, or where the ticket was answered already and ``again``
    does not say to send another.
    """
    if not ticket.is_open and ticket.state != "stuck" and not again:
        raise AnswerError(
            f"Ticket {ticket.key} is {ticket.state}: it does not wait for an answer any more."
            " Say so explicitly ('again') to send another."
        )
    if progress is None:
        said = Response(ticket.call_id, ticket.function_name, as_object(value))
        progress = ticket.kind == "long_running" and is_progress(said)
    checked = check(ticket, Value(value, progress=progress))
    if checked.answer is None:
        wrong = "; ".join(_sentence(p) for p in checked.problems)
        raise AnswerError(f"The answer to {ticket.name} was not sent. {wrong}")
    return Answer(ticket.invocation_id, (checked.answer,))


def _sentence(problem: Problem) -> str:
    return f"{problem.path}: {problem.message}" if problem.path else problem.message
