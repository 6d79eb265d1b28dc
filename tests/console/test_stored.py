"""``sessions`` and ``tickets`` on files that a real engine wrote; completion of session ids."""

import json
import sqlite3
from pathlib import Path

import pytest

from adk_tui.console.stored import Store, StoreError, session_ids, store_file
from tests.console.programs import run, write_agent

ASKS = """
def request(amount: int) -> dict:
    "Asks a person."
    return {"status": "pending", "ticket_id": "T-1", "token": "swordfish"}

def reply(request):
    told = [p.function_response.response["status"]
            for c in request.contents for p in c.parts or () if p.function_response]
    if not told:
        return call("request", amount=7)
    return say("It is asked." if told[-1] == "pending" else "Thank you.")

root_agent = LlmAgent(
    name="root", model=Scripted(reply), tools=[LongRunningFunctionTool(request)]
)
"""


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An agent with two stored sessions of two users, each with an open ticket."""
    folder = write_agent(tmp_path_factory.mktemp("stored"), ASKS)
    for user, text in (("ann", "the first"), ("bob", "the second")):
        assert run("ask", str(folder), text, "--user", user).returncode == 2
    return folder


def test_sessions_are_listed_newest_first(agent: Path) -> None:
    done = run("sessions", str(agent))
    assert done.returncode == 0
    newest, oldest = done.stdout.splitlines()
    assert "bob" in newest
    assert "the second" in newest
    assert "4 events" in newest
    assert "ann" in oldest
    rows = [json.loads(x) for x in run("sessions", str(agent), "--json").stdout.splitlines()]
    assert [(r["user"], r["title"], r["events"], r["app"]) for r in rows] == [
        ("bob", "the second", 4, "helper"),
        ("ann", "the first", 4, "helper"),
    ]


def test_open_tickets_of_all_sessions_are_listed(agent: Path) -> None:
    rows = [json.loads(x) for x in run("tickets", str(agent), "--json").stdout.splitlines()]
    assert [(r["user"], r["name"], r["state"], r["args"]) for r in rows] == [
        ("bob", "request", "open", {"amount": 7}),
        ("ann", "request", "open", {"amount": 7}),
    ]
    assert rows[0]["responses"][0]["response"]["token"] != "swordfish"
    text = run("tickets", "list", str(agent)).stdout
    assert [row["id"] in text and row["session"] in text for row in rows] == [True, True]


def test_listing_makes_no_session_and_changes_no_file(agent: Path) -> None:
    before = (agent / ".adk" / "session.db").read_bytes()
    run("sessions", str(agent))
    run("tickets", str(agent))
    assert (agent / ".adk" / "session.db").read_bytes() == before


def test_a_ticket_is_answered_in_its_session(tmp_path: Path) -> None:
    folder = write_agent(tmp_path, ASKS)
    assert run("ask", str(folder), "please").returncode == 2
    (row,) = [json.loads(x) for x in run("tickets", str(folder), "--json").stdout.splitlines()]
    done = run("tickets", "answer", row["id"], '{"status": "approved"}', str(folder))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "request is final.\n"


def test_an_ambiguous_name_is_refused_with_the_ids(agent: Path) -> None:
    done = run("tickets", "answer", "request", "{}", str(agent))
    assert done.returncode == 1
    assert "2 tickets are open for 'request'" in done.stderr


@pytest.mark.parametrize(
    ("name", "answer", "told"),
    [
        ("nothing", "{}", "No open ticket is 'nothing'. Open are "),
        ("", "not json", "The answer is not JSON"),
        ("", '{"status": "pending"}', "more will follow"),
    ],
)
def test_an_answer_that_cannot_be_sent_starts_no_agent(
    agent: Path, name: str, answer: str, told: str
) -> None:
    first = json.loads(run("tickets", str(agent), "--json").stdout.splitlines()[0])
    done = run("tickets", "answer", name or first["id"], answer, str(agent))
    assert done.returncode == 1
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_agent_without_sessions_has_an_empty_list(tmp_path: Path) -> None:
    folder = write_agent(tmp_path, ASKS)
    for command in ("sessions", "tickets"):
        done = run(command, str(folder))
        assert done.returncode == 0
        assert done.stdout == ""
        assert done.stderr.startswith("adk-tui: ")
    assert not (folder / ".adk").exists()


def test_a_file_that_is_no_session_file_is_one_sentence(tmp_path: Path) -> None:
    folder = write_agent(tmp_path, ASKS)
    (folder / ".adk").mkdir()
    (folder / ".adk" / "session.db").write_bytes(b"garbage" * 1000)
    done = run("sessions", str(folder))
    assert done.returncode == 1
    assert "cannot be read" in done.stderr
    assert "Traceback" not in done.stderr


def _file(path: Path, rows: list[tuple[str, object]]) -> Path:
    """A session file with these ids and event texts, written without ADK."""
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE sessions (app_name, user_id, id, state, create_time, update_time)")
        db.execute(
            "CREATE TABLE events"
            " (id, app_name, user_id, session_id, invocation_id, timestamp, event_data)"
        )
        for number, (session, data) in enumerate(rows):
            db.execute("INSERT INTO sessions VALUES ('a', 'u', ?, '{}', 0, ?)", (session, number))
            db.execute(
                "INSERT INTO events VALUES (?, 'a', 'u', ?, 'i', 0, ?)", (number, session, data)
            )
    db.close()
    return path


def test_ids_are_completed_newest_first_by_their_beginning(tmp_path: Path) -> None:
    file = _file(tmp_path / "session.db", [("ab-1", "{}"), ("ab-2", "{}"), ("x%_", "{}")])
    assert session_ids(file, "ab") == ["ab-2", "ab-1"]
    assert session_ids(file, "x%") == ["x%_"]
    assert session_ids(file, "%") == []


def test_completion_is_silent_whatever_the_file_is(tmp_path: Path) -> None:
    (tmp_path / "broken").write_bytes(b"\0" * 100)
    with sqlite3.connect(tmp_path / "other") as db:
        db.execute("CREATE TABLE sessions (something)")
    db.close()
    for name in ("missing", "broken", "other"):
        assert session_ids(tmp_path / name, "") == []
    assert not (tmp_path / "missing").exists()


def test_events_that_are_no_json_are_read_all_the_same(tmp_path: Path) -> None:
    file = _file(tmp_path / "session.db", [("s", b"\xff\xfe"), ("t", 5), ("u", None)])
    with Store(file) as store:
        for session in store.sessions():
            (event,) = store.events(session)
            assert event.problems


def test_a_missing_file_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        Store(tmp_path / "none.db")


def test_the_sessions_of_a_read_only_agent_are_found_where_the_engine_put_them(
    tmp_path: Path,
) -> None:
    folder = write_agent(tmp_path, ASKS)
    # A file where the folder should be: nothing can be written there, whoever we are.
    (folder / ".adk").write_text("")
    assert run("ask", str(folder), "please").returncode == 2
    rows = [json.loads(x) for x in run("sessions", str(folder), "--json").stdout.splitlines()]
    assert [r["title"] for r in rows] == ["please"]


def test_a_module_target_has_no_file_of_its_own(tmp_path: Path) -> None:
    assert store_file("package.module:agent", tmp_path) is None
