"""An unmodified agent with a Gemini model, through google-genai's own HTTP client, to the screen.

The server is scripted and on loopback; everything else is what a person uses.
"""

import threading
from pathlib import Path

from tests.e2e.terminal import Terminal
from tests.e2e.workbench import IDLE, SLOW, ask, leave, loaded, workbench
from tests.fakes import gemini_server as gemini
from tests.fakes.gemini_server import GeminiServer

AGENT = Path(__file__).parent / "agents" / "gemini_quotes"


def run(server: GeminiServer, *options: str) -> Terminal:
    return workbench(AGENT, *options, env=server.environment, columns=140)


def ended(terminal: Terminal, sign: str) -> None:
    """Wait for the sign and for the end of the turn, and check that nothing else was asked."""
    terminal.wait_for(sign)
    terminal.wait_for(IDLE)


def test_a_call_its_response_and_the_streamed_answer_are_shown() -> None:
    gate = threading.Event()
    with gemini.serve(
        gemini.call("get_price", symbol="GOOG"),
        gemini.text("GOOG trades ", "at **187.50**", " dollars.").held(gate),
    ) as server:
        with run(server) as terminal:
            loaded(terminal)
            assert "OFFLINE" not in terminal.text
            terminal.wait_for("gemini-2.5-flash")
            ask(terminal, "price of GOOG?")
            terminal.wait_for("GOOG trades at 187.50")
            assert "dollars" not in terminal.text
            gate.set()
            ended(terminal, "dollars.")
            terminal.wait_for('get_price(symbol="GOOG") ✓')
            leave(terminal)
        assert [r.method for r in server.requests] == ["streamGenerateContent"] * 2
        assert server.requests[0].last_text == "price of GOOG?"
        assert server.requests[0].tools == ["get_price"]
        result = server.requests[1].body["contents"][-1]["parts"][0]["functionResponse"]
        assert result["response"] == {"symbol": "GOOG", "price": "187.50 USD"}
        assert server.unscripted == 0


def test_without_streaming_the_same_comes_in_one_piece() -> None:
    with gemini.serve(gemini.text("All ", "at once.")) as server:
        with run(server, "--no-streaming") as terminal:
            loaded(terminal)
            ask(terminal, "hello")
            ended(terminal, "All at once.")
            leave(terminal)
        assert [r.method for r in server.requests] == ["generateContent"]


def test_thoughts_are_folded_apart_from_the_answer() -> None:
    with (
        gemini.serve(gemini.thought_and_text("Weighing it up.", "The ", "answer.")) as server,
        run(server) as terminal,
    ):
        loaded(terminal)
        ask(terminal, "hello")
        ended(terminal, "The answer.")
        terminal.wait_for("thought")
        leave(terminal)


def test_a_quota_error_is_shown_once_and_the_next_message_works() -> None:
    with (
        gemini.serve(gemini.quota("41s"), gemini.text("Working again.")) as server,
        run(server) as terminal,
    ):
        loaded(terminal)
        ask(terminal, "hello")
        ended(terminal, "429")
        terminal.wait_for("41 s")
        ask(terminal, "once more")
        ended(terminal, "Working again.")
        leave(terminal)


def test_a_server_error_is_shown() -> None:
    with gemini.serve(gemini.broken()) as server, run(server) as terminal:
        loaded(terminal)
        ask(terminal, "hello")
        ended(terminal, "500")
        assert "Traceback" not in terminal.text
        leave(terminal)


def test_a_cut_stream_keeps_its_text_and_says_that_it_was_cut() -> None:
    with gemini.serve(gemini.cut_stream("Half a sen")) as server, run(server) as terminal:
        loaded(terminal)
        ask(terminal, "hello")
        ended(terminal, "Half a sen")
        terminal.wait_for("interrupted")
        leave(terminal)


def test_a_safety_stop_is_named() -> None:
    with gemini.serve(gemini.safety_stop("I would")) as server, run(server) as terminal:
        loaded(terminal)
        ask(terminal, "hello")
        ended(terminal, "SAFETY")
        leave(terminal)


def test_another_model_can_be_put_in_by_name() -> None:
    with gemini.serve(gemini.text("Light.")) as server:
        with run(server, "--model", "gemini-2.5-flash-lite") as terminal:
            loaded(terminal)
            ask(terminal, "hello")
            ended(terminal, "Light.")
            leave(terminal)
        assert [r.model for r in server.requests] == ["gemini-2.5-flash-lite"]


def test_the_offline_model_can_be_forced_although_there_is_a_key() -> None:
    with gemini.serve() as server:
        with run(server, "--offline") as terminal:
            terminal.wait_for("OFFLINE MODEL", SLOW)
            ask(terminal, 'get_price(symbol="GOOG")')
            ended(terminal, "187.50")
            leave(terminal)
        assert server.requests == []
