"""A long session in small: all of it arrives, filters and rewinds, and keys are taken; no times."""

from adk_tui.core.transcript import Line, UserTurn
from tests.perf import long_session


async def test_a_stored_session_opens_is_filtered_and_rewound_while_keys_are_taken() -> None:
    session = await long_session.measure(2_000, rest=3)
    view = session.app.view
    assert len(view.log) == 2_002
    turns = [item for item in view.transcript.items if isinstance(item, UserTurn)]
    assert [turn.withdrawn for turn in turns] == [True] * 500
    told = [item.text for item in view.transcript.items if isinstance(item, Line)]
    assert told == ["Rewound: 2 turns withdrawn.", "Rewound: 498 turns withdrawn."]
    assert {name: bool(found.keys) for name, found in session.found.items()} == {
        "it opens": True,
        "it lies there": True,
        "it is filtered": True,
        "the filter is cleared": True,
        "2 turns are rewound": True,
        "all are rewound": True,
    }
