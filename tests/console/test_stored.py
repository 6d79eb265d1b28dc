"""``sessions`` and ``tickets`` on stores that a real engine wrote; completion of session ids."""

import json
import sqlite3
from pathlib import Path

import pytest

from adk_tui.console.stored import Store, StoreError, session_ids, store_file
from adk_tui.engine.titles import Titles
from tests.conftest import needs
from tests.console.programs import SECONDS, run, write_agent

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
    (first, _) = run("tickets", str(agent), "--json", "--reveal").stdout.splitlines()
    assert json.loads(first)["responses"][0]["response"]["token"] == "swordfish"
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


def test_an_answer_whose_status_is_not_final_is_progress_and_the_ticket_stays(agent: Path) -> None:
    first = json.loads(run("tickets", str(agent), "--json").stdout.splitlines()[0])
    done = run("tickets", "answer", first["id"], '{"status": "pending"}', str(agent))
    assert done.returncode == 0, done.stderr
    assert "request is still open after this progress" in done.stdout
    again = [json.loads(x) for x in run("tickets", str(agent), "--json").stdout.splitlines()]
    assert first["id"] in [t["id"] for t in again]


def test_an_ambiguous_name_is_refused_with_the_ids(agent: Path) -> None:
    done = run("tickets", "answer", "request", "{}", str(agent))
    assert done.returncode == 1
    assert "2 tickets are open for 'request'" in done.stderr


@pytest.mark.timeout(8 * SECONDS)
def test_the_session_says_which_ticket_of_a_tool_is_meant(tmp_path: Path) -> None:
    folder = write_agent(tmp_path, ASKS)
    for text in ("one", "two"):
        assert run("ask", str(folder), text).returncode == 2
    newest, oldest = (
        json.loads(x) for x in run("tickets", str(folder), "--json").stdout.splitlines()
    )
    answer = ("request", '{"status": "approved"}', str(folder))
    done = run("tickets", "answer", *answer, "--session", oldest["session"])
    assert done.stdout == "request is final.\n", done.stderr
    (left,) = [json.loads(x) for x in run("tickets", str(folder), "--json").stdout.splitlines()]
    assert left["id"] == newest["id"]


@pytest.mark.parametrize(
    ("name", "answer", "told"),
    [
        ("nothing", "{}", "No open ticket is 'nothing'. Open are "),
        ("", "not json", "The answer is not JSON"),
        ("", '{"amount": 1e999}', "cannot be sent as JSON"),
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


def test_a_given_title_takes_the_place_of_the_first_words(tmp_path: Path) -> None:
    folder = write_agent(tmp_path, ASKS)
    for text in ("one", "two"):
        assert run("ask", str(folder), text).returncode == 2
    named, other = (
        json.loads(x) for x in run("sessions", str(folder), "--json").stdout.splitlines()
    )
    titles = Titles(folder / ".adk" / "adk-tui.db", "helper")
    titles.set(named["user"], named["id"], title="Trip to Rome")
    titles.set(other["user"], other["id"], parent=named["id"])
    rows = [json.loads(x) for x in run("sessions", str(folder), "--json").stdout.splitlines()]
    assert [r["title"] for r in rows] == ["Trip to Rome", "one"]
    (folder / ".adk" / "adk-tui.db").write_bytes(b"garbage" * 1000)
    rows = [json.loads(x) for x in run("sessions", str(folder), "--json").stdout.splitlines()]
    assert [r["title"] for r in rows] == ["two", "one"]


@pytest.fixture(params=["sqlite", "postgres"])
def uri(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store outside the agent's folder, given as a URI."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/elsewhere.db"
    return request.getfixturevalue("postgres").database()


@pytest.mark.timeout(8 * SECONDS)
def test_what_a_session_service_holds_is_listed_and_answered(tmp_path: Path, uri: str) -> None:
    folder = write_agent(tmp_path, 'print(\'{"type": "stray"}\')\n' + ASKS)
    stranger = write_agent(tmp_path, ASKS, name="stranger")
    service = ("--session-service-uri", uri)
    for agent, user, text in (
        (folder, "ann", "the first"),
        (stranger, "ann", "not of this agent"),
        (folder, "bob", "the second"),
    ):
        assert run("ask", str(agent), text, "--user", user, *service).returncode == 2
    done = run("sessions", str(folder), "--json", *service)
    rows = [json.loads(x) for x in done.stdout.splitlines()]
    assert [(r["user"], r["title"], r["events"], r["app"]) for r in rows] == [
        ("bob", "the second", 4, "helper"),
        ("ann", "the first", 4, "helper"),
    ], done.stderr
    assert rows[0]["updated"] >= rows[1]["updated"] > 0
    # The variable names the service as well as the option does.
    env = {"ADK_TUI_SESSION_SERVICE_URI": uri}
    done = run("tickets", str(folder), "--json", env=env)
    waiting = [json.loads(x) for x in done.stdout.splitlines()]
    assert [(w["user"], w["name"], w["args"]) for w in waiting] == [
        ("bob", "request", {"amount": 7}),
        ("ann", "request", {"amount": 7}),
    ], done.stderr
    answer = (waiting[1]["id"], '{"status": "approved"}', str(folder))
    assert run("tickets", "answer", *answer, *service).stdout == "request is final.\n"
    left = [
        json.loads(x)
        for x in run("tickets", str(folder), "--json", env=env).stdout.split("\n")[:-1]
    ]
    assert [w["user"] for w in left] == ["bob"]
    assert not (folder / ".adk").exists()
    assert "2 sessions" in run("doctor", str(folder), *service).stdout


def test_a_service_that_is_not_there_is_one_sentence_without_the_password(tmp_path: Path) -> None:
    needs("sqlalchemy", "greenlet", "asyncpg")
    folder = write_agent(tmp_path, ASKS)
    service = ("--session-service-uri", "postgresql+asyncpg://me:secret@127.0.0.1:1/db")
    for command in ("sessions", "tickets"):
        done = run(command, str(folder), *service)
        assert done.returncode == 1
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        assert done.stderr.startswith("adk-tui: ")
        assert "secret" not in done.stderr
    done = run("doctor", str(folder), *service)
    assert done.returncode == 1
    assert "✗ session service postgresql+asyncpg://me:••••@127.0.0.1:1/db → " in done.stdout


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import no_such_module_anywhere\n", "no_such_module_anywhere"),
        ("os.write(2, b'sorry\\n')\nos._exit(9)\n", "It said at last: sorry"),
    ],
)
def test_an_agent_that_does_not_load_cannot_say_what_its_service_holds(
    tmp_path: Path, source: str, told: str
) -> None:
    folder = write_agent(tmp_path, source)
    done = run("sessions", str(folder), "--session-service-uri", f"sqlite:///{tmp_path}/s.db")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert told in done.stderr


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
