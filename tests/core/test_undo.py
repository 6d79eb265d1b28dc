"""What can be taken back, by which command, and when it cannot."""

from adk_tui.core.commands import EditState, RenameSession, RestoreSession, Transfer
from adk_tui.core.reports import AgentNode, SessionDeleted, SessionRenamed
from adk_tui.core.undo import undo_delete, undo_event, undo_rename, undoable
from tests.fakes.sessions import event, rewind, text, user

LEAF = AgentNode("leaf")
ROOT = AgentNode("root", children=(AgentNode("left", children=(LEAF,)), AgentNode("right")))


def edit(**delta: object):
    return event("user", inv="edit", actions={"stateDelta": delta})


def transfer(author: str, target: str):
    return event(author, inv="transfer", actions={"transferToAgent": target})


def test_an_edit_is_taken_back_to_the_values_before_it_and_null_where_there_was_none() -> None:
    log = [user("hi"), edit(a=1), edit(a=2, b=3)]
    undo = undo_event(log, log[-1].id, ROOT, {"c": 0})
    assert undo is not None
    assert undo.command == EditState({"a": 1, "b": None})
    assert "b becomes null" in undo.words
    assert (undo.problem, undo.warning) == ("", "")


def test_an_edit_of_a_value_the_session_was_created_with_brings_that_back() -> None:
    log = [edit(a=2)]
    undo = undo_event(log, log[0].id, ROOT, {"a": {"deep": [1]}})
    assert undo is not None
    assert undo.command == EditState({"a": {"deep": [1]}})
    assert "null" not in undo.words


def test_a_key_that_was_changed_since_is_named() -> None:
    log = [edit(a=1), edit(a=2)]
    undo = undo_event(log, log[0].id, ROOT)
    assert undo is not None
    assert undo.warning == "Changed again since then: a."


def test_an_undo_is_an_edit_that_can_be_undone_itself() -> None:
    log = [edit(a=1)]
    first = undo_event(log, log[0].id, ROOT, {"a": 0})
    assert first is not None
    assert isinstance(first.command, EditState)
    log.append(edit(**first.command.delta))
    second = undo_event(log, log[1].id, ROOT, {"a": 0})
    assert second is not None
    assert second.command == EditState({"a": 1})


def test_a_transfer_goes_back_to_whoever_answered_before() -> None:
    log = [user("hi"), event("right", text("hello")), transfer("left", "leaf")]
    undo = undo_event(log, log[-1].id, ROOT)
    assert undo is not None
    assert undo.command == Transfer("right")
    assert undo.words == "right answers next again."


def test_a_transfer_that_was_overtaken_says_so_or_needs_no_undo() -> None:
    log = [event("root", text("hello")), transfer("root", "left"), transfer("left", "leaf")]
    undo = undo_event(log, log[1].id, ROOT)
    assert undo is not None
    assert undo.command == Transfer("root")
    assert "leaf has taken over" in undo.warning
    log.append(transfer("root", "root"))
    done = undo_event(log, log[1].id, ROOT)
    assert done is not None
    assert done.command is None
    assert done.problem == "root answers next already."


def test_only_edits_and_forced_transfers_can_be_taken_back_newest_first() -> None:
    called = event("root", text("bye"), actions={"transferToAgent": "left"})
    log = [user("hi"), edit(a=1), called, transfer("root", "right"), edit(b=1)]
    assert undoable(log) == (log[4].id, log[3].id, log[1].id)
    assert undo_event(log, called.id, ROOT) is None
    assert undo_event(log, log[0].id, ROOT) is None
    assert undo_event(log, "nothing", ROOT) is None


def test_what_a_rewind_undid_is_no_longer_to_be_undone() -> None:
    log = [user("hi", inv="i1"), edit(a=1), rewind("i1", inv="i9")]
    assert undoable(log) == ()


def test_a_rename_gives_the_former_title_back() -> None:
    undo = undo_rename(SessionRenamed("s", "u", "new", True, "old"))
    assert undo.command == RenameSession("s", "u", "old")
    undo = undo_rename(SessionRenamed("s", "u", "new"))
    assert undo.command == RenameSession("s", "u", "")


def test_a_deletion_gives_all_back() -> None:
    deleted = SessionDeleted("s", "u", "app", "t", "t", "p", {"a": 1}, (b"{}",))
    assert undo_delete(deleted).command == RestoreSession("s", "u", "t", "p", {"a": 1}, (b"{}",))
