"""A message is tried for a day, at growing distances."""

from itertools import pairwise

from pagehand.webhooks.deliverer import KEPT_TRYING_MS, next_attempt


def attempts_of_a_day() -> list[int]:
    now, moments = 0, [0]
    while (following := next_attempt(0, len(moments), now)) is not None:
        assert following > now
        now = following
        moments.append(now)
    return moments


def test_the_last_attempt_is_at_the_end_of_the_day() -> None:
    moments = attempts_of_a_day()
    assert moments[-1] == KEPT_TRYING_MS
    assert 10 <= len(moments) <= 20


def test_distances_grow_from_seconds_to_hours() -> None:
    moments = attempts_of_a_day()
    distances = [after - before for before, after in pairwise(moments[:-1])]
    assert 4_000 <= distances[0] <= 6_000
    assert distances[:6] == sorted(distances[:6])
    assert max(distances) <= 4 * 3_600_000 * 1.2


def test_attempts_are_spread_so_that_not_all_come_at_once() -> None:
    assert len({next_attempt(0, 5, 1000) for _ in range(50)}) > 10


def test_after_the_day_there_is_no_other_attempt() -> None:
    assert next_attempt(0, 3, KEPT_TRYING_MS) is None


def test_thousands_of_attempts_do_not_overflow() -> None:
    assert next_attempt(0, 100_000, 1) is not None
