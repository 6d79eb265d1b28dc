"""Standing permissions: as narrow as what was said."""

from dataclasses import replace
from typing import Any

import pytest

from adk_tui.client.policies import Policies, refusal
from adk_tui.core.tickets import Ticket

PAY = Ticket(
    key="c1#1",
    call_id="c1",
    invocation_id="i1",
    event_id="e1",
    kind="long_running",
    state="open",
    name="pay",
    function_name="pay",
    agent="desk",
    branch="",
    opened=1.0,
    args={"amount": 5},
)


def later(**changes: Any) -> Ticket:
    return replace(PAY, **{"key": "c2#1", "call_id": "c2", "invocation_id": "i2", **changes})


def allowed(ticket: Ticket = PAY, *, same_args: bool = False) -> Policies:
    policies = Policies()
    assert policies.allow(ticket, {ticket.key, "old#1"}, same_args=same_args) == ""
    return policies


def test_the_next_ticket_of_the_tool_is_approved() -> None:
    (automatic,) = allowed().answers([later(args={"amount": 900})])
    assert automatic.answer.call_id == "c2"
    assert automatic.answer.response == {"status": "approved"}
    assert automatic.policy.words == "approve pay of desk"


def test_with_arguments_only_the_same_ones_are_approved() -> None:
    policies = allowed(same_args=True)
    assert policies.answers([later(args={"amount": 900})]) == ()
    (automatic,) = policies.answers([later()])
    assert automatic.policy.words == "approve pay of desk with {amount: 5}"


@pytest.mark.parametrize(
    "other",
    [
        later(key="old#1"),
        PAY,
        later(name="ship"),
        later(agent="cashier"),
        later(kind="confirmation"),
        later(state="updated"),
        later(state="invalid"),
        later(state="final"),
        later(duplicate_id=True),
        later(dead="it cannot be answered"),
        later(payload={"sugar": 1}),
    ],
)
def test_nothing_else_is_approved(other: Ticket) -> None:
    assert allowed().answers([other]) == ()


@pytest.mark.parametrize("kind", ["credential", "input", "choice"])
def test_credentials_and_questions_never_get_a_permission(kind: Any) -> None:
    ticket = replace(PAY, kind=kind)
    policies = Policies()
    assert policies.allow(ticket, (), same_args=False) == refusal(ticket) != ""
    assert policies.given == ()


def test_a_confirmation_that_asks_for_values_never_gets_a_permission() -> None:
    ticket = replace(PAY, kind="confirmation", payload={"sugar": 1})
    assert "more than yes or no" in refusal(ticket)


def test_a_revoked_permission_approves_nothing() -> None:
    policies = allowed()
    policies.revoke(0)
    assert policies.answers([later()]) == ()


def test_a_wider_permission_takes_the_place_of_a_narrower_one_and_uses_are_counted() -> None:
    policies = allowed(same_args=True)
    policies.allow(PAY, (), same_args=False)
    policies.count(policies.answers([later(), later(key="c3#1")]))
    ((policy, used),) = policies.given
    assert (policy.args, used) == (None, 2)


def test_words_mask_secrets() -> None:
    policies = Policies()
    policies.allow(replace(PAY, args={"api_key": "sk-verysecret"}), (), same_args=True)
    ((policy, _),) = policies.given
    assert "verysecret" not in policy.words
