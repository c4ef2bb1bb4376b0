"""Hosts that a browser did not reach: reported once each, and asked for from a mark on."""

from typing import Any

from pagehand.browser.provider import ConnectionErrors
from pagehand.errors import PagehandError


def test_each_refused_host_is_reported_once_and_only_so_many() -> None:
    reported: list[tuple[str, str]] = []

    def report(kind: str, message: str, _: Any) -> None:
        reported.append((kind, message))

    errors = ConnectionErrors(report)
    for number in range(5000):
        errors.add_refused(f"h{number}.example", 80, "private")
        errors.add_refused(f"h{number}.example", 80, "private")
    assert len(reported) == 101
    assert "More than 100 hosts" in reported[-1][1]


def test_errors_are_asked_for_from_a_mark_on() -> None:
    errors = ConnectionErrors()
    for number in range(3000):
        errors.add_unreachable(f"h{number}.example", 80, "dns")
    mark = errors.mark()
    assert errors.latest(mark) is None
    errors.add_unreachable("late.example", 443, "dns")
    assert isinstance(errors.error_of("https://late.example/x", mark), PagehandError)
    assert errors.error_of("http://h2999.example/", mark) is None
    assert errors.error_of("http://h2999.example/", 0) is not None
