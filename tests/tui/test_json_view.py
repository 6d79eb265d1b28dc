import json
from typing import Any

import pytest

from adk_tui.tui.widgets.json_tree import LONG, JsonTree, short_value, whole_value
from adk_tui.tui.widgets.json_view import JsonView
from adk_tui.tui.widgets.text_lines import plain
from tests.tui.hosts import Host, screen_of

EVENT = {
    "id": "e1",
    "content": {
        "role": "model",
        "parts": [
            {"text": "line one\nline two\nline three"},
            {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo" + "A1b2" * 100}},
            {"functionCall": {"name": "pay", "args": {"api_key": "sk-very-secret", "n": 3}}},
        ],
    },
    "odd key": None,
    "ok": True,
}


def raw(value: Any) -> bytes:
    return json.dumps(value).encode()


async def test_it_opens_what_fits_and_the_rest_on_a_key():
    view = JsonView(id="json")
    host = Host(view)
    async with host.run_test(size=(80, 24)) as pilot:
        view.show(raw(EVENT))
        await pilot.pause()
        lines = screen_of(view)
        assert any("id: " in line and '"e1"' in line for line in lines)
        assert any("role" in line for line in lines)
        row = next(n for n, t in enumerate(lines) if "line one" in t)
        view.move_cursor(row)
        await pilot.press("right")
        await pilot.pause()
        assert "line two" in screen_of(view)[row + 2]
        await pilot.press("left")
        await pilot.pause()
        assert "▏ line two" not in "\n".join(screen_of(view))
        await pilot.press("left")
        assert view.cursor < row


async def test_secrets_are_masked_until_they_are_revealed():
    view = JsonView(id="json")
    host = Host(view)
    async with host.run_test(size=(80, 30), message_hook=host.heard.append) as pilot:
        view.show(raw(EVENT))
        await pilot.pause()
        assert "sk-very-secret" not in "\n".join(screen_of(view))
        view.move_cursor(0)
        await pilot.press("y")
        assert "sk-very-secret" not in host.clipboard
        assert json.loads(host.clipboard)["ok"] is True
        view.set_revealed(True)
        await pilot.pause()
        assert "sk-very-secret" in "\n".join(screen_of(view))


@pytest.mark.parametrize("before", [0, 40, LONG, LONG + 5])
def test_a_long_text_is_masked_wherever_it_is_looked_at(before: int):
    secret = "sk-proj-abcdefghij1234567890"
    words = f"{'word ' * (before // 5)}{secret}\n" + "and so on " * LONG
    tree = JsonTree.of_bytes(raw({"text": words}))
    text = tree.rows[1]
    assert "abcdefghij" not in short_value(text, 200)
    assert "abcdefghij" not in short_value(text, 100_000)
    assert "abcdefghij" not in whole_value(text)
    tree = JsonTree.of_bytes(raw({"text": words}))
    tree.open(1)
    assert "abcdefghij" not in "".join(short_value(node, 100_000) for node in tree.rows)
    assert "and so on" in short_value(tree.rows[3])
    shown = JsonTree.of_bytes(raw({"text": words}), revealed=True)
    assert secret in whole_value(shown.rows[1])


async def test_path_and_value_are_copied():
    view = JsonView(id="json")
    host = Host(view)
    async with host.run_test(size=(80, 30), message_hook=host.heard.append) as pilot:
        view.show(raw(EVENT))
        await pilot.pause()
        view.search("line one")
        await pilot.press("Y")
        assert host.clipboard == "content.parts[0].text"
        await pilot.press("y")
        assert host.clipboard == "line one\nline two\nline three"
        view.search("odd key")
        await pilot.press("Y")
        await pilot.pause()
        assert host.clipboard == '["odd key"]'
        assert host.last(JsonView.Copied).kind == "path"


async def test_search_opens_what_it_finds_and_goes_round():
    value = {"a": [{"deep": {"deeper": [{"x": "needle one"}]}}] * 2, "needle": 1}
    view = JsonView(id="json")
    host = Host(view)
    async with host.run_test(size=(80, 30), message_hook=host.heard.append) as pilot:
        view.show(value)
        await pilot.pause()
        seen: list[str] = []
        view.search("needle")
        for _ in range(4):
            seen.append(plain(view.row_lines(view.cursor or 0, 80)[0]).strip())
            await pilot.press("n")
        assert [("one" in line, "needle:" in line) for line in seen[:3]] == [
            (True, False),
            (True, False),
            (False, True),
        ]
        assert seen[3] == seen[0]
        view.search("nothing like it")
        await pilot.pause()
        assert host.last(JsonView.Searched).found is False


async def test_a_megabyte_makes_no_more_rows_than_a_few_screens():
    value = {"items": [{"n": n, "text": "x" * 90} for n in range(10_000)]}
    view = JsonView(id="json")
    host = Host(view)
    async with host.run_test(size=(80, 24)) as pilot:
        view.show(raw(value))
        await pilot.pause()
        assert view.row_count() < 200
        view.search("items")
        await pilot.press("right")
        assert view.row_count() < 1_000
        await pilot.press("end")
        await pilot.pause()
        assert "9,500 more" in screen_of(view)[-1]
        await pilot.press("enter")
        assert view.row_count() > 1_000


@pytest.mark.parametrize("depth", [200, 900])
async def test_deep_nesting_can_be_walked_and_searched(depth: int):
    text = '{"a":' * depth + '"bottom"' + "}" * depth
    view = JsonView(id="json")
    host = Host(view)
    async with host.run_test(size=(80, 24)) as pilot:
        view.show(text.encode())
        view.search("bottom")
        await pilot.pause()
        assert "bottom" in "\n".join(screen_of(view))
        assert view.row_count() == depth + 1


def test_what_is_too_deep_to_parse_is_shown_as_text():
    tree = JsonTree.of_bytes(b"[" * 100_000)
    assert "[[[" in short_value(tree.root)


def test_bytes_that_are_no_json_are_shown_as_text_and_masked():
    tree = JsonTree.of_bytes(b"\xff oops password=hunter2secret")
    assert "oops" in short_value(tree.root)
    assert "hunter2secret" not in short_value(tree.root)


def test_base64_is_its_size():
    tree = JsonTree(EVENT)
    shown = [short_value(node) for node in tree.rows]
    assert "base64, 308 bytes" in shown
    plain_words = {"text": "hello" * 60}
    assert JsonTree(plain_words).rows[1].kind == "text"


def test_numbers_that_json_cannot_hold_and_hostile_text_are_shown():
    tree = JsonTree({"nan": float("nan"), "esc": "\x1b[31m\u202e", "\x1b]0;k": 1})
    shown = " ".join(short_value(node) for node in tree.rows)
    assert "NaN" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown
