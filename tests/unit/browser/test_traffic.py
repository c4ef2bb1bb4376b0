"""What the pages of a run loaded and failed to reach."""

from typing import Any

from pagehand.browser.traffic import Traffic
from pagehand.errors import PagehandError


def test_each_refused_host_is_reported_once_and_only_so_many() -> None:
    reported: list[tuple[str, str]] = []

    def tell(kind: str, message: str, _: Any) -> None:
        reported.append((kind, message))

    traffic = Traffic(tell)
    for number in range(5000):
        traffic.refused(f"h{number}.example", 80, "private")
        traffic.refused(f"h{number}.example", 80, "private")
    assert len(reported) == 101
    assert "More than 100 hosts" in reported[-1][1]


def test_trouble_is_asked_for_from_a_mark_on() -> None:
    traffic = Traffic()
    for number in range(3000):
        traffic.unreachable(f"h{number}.example", 80, "dns")
    mark = traffic.mark()
    assert traffic.latest(mark) is None
    traffic.unreachable("late.example", 443, "dns")
    assert isinstance(traffic.trouble("https://late.example/x", mark), PagehandError)
    assert traffic.trouble("http://h2999.example/", mark) is None
    assert traffic.trouble("http://h2999.example/", 0) is not None
