"""Much is let go of a little at a time, and all of it in the end."""

import gc
import weakref

from adk_tui.core.letting_go import LettingGo


class _Thing:
    pass


class _Whole:
    def __init__(self, count: int) -> None:
        self.things = [_Thing() for _ in range(count)]
        self.named = {n: _Thing() for n in range(count)}
        self.numbers = set(range(count))
        self.nothing: list[int] = []
        self.part = _Part(self, count)


class _Part:
    def __init__(self, whole: _Whole, count: int) -> None:
        self.whole = whole
        self.things = {n: _Thing() for n in range(count)}


def test_no_more_goes_at_a_time_than_was_asked_for_and_all_goes_in_the_end():
    whole = _Whole(25)
    gone: list[int] = []
    things = [*whole.things, *whole.named.values(), *whole.part.things.values()]
    refs = [weakref.ref(t, lambda _: gone.append(1)) for t in things]
    del things
    going = LettingGo(whole)
    rounds, before = 1, 0
    while going.go_on(10):
        assert len(gone) - before <= 10
        before = len(gone)
        rounds += 1
    assert len(gone) == len(refs) == 75
    assert rounds == 10
    left = [whole.things, whole.named, whole.numbers, whole.part.things]
    assert not any(left)


def test_parts_that_refer_to_their_whole_are_no_circle_to_walk_in():
    gc.collect()
    assert not LettingGo(_Whole(0)).go_on(1)
