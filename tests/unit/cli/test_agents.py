"""`pagehand mcp` says before it serves why an agent could do nothing."""

import pytest

from pagehand.cli import agents
from pagehand.client import ApiError
from pagehand.errors import Forbidden, UserMistake
from pagehand.mcp.connection import Connection


@pytest.mark.parametrize(
    ("status", "expected", "said"),
    [(403, Forbidden, "needs the scope `read`; `read,run` to run"), (400, UserMistake, "No.")],
)
def test_a_key_that_may_not_read_is_refused_with_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, status: int, expected: type[Exception], said: str
) -> None:
    async def refuse(_: Connection) -> frozenset[str]:
        raise ApiError(status, "No.")

    monkeypatch.setattr(Connection, "scopes", refuse)
    with pytest.raises(expected, match=said):
        agents.serve("http://127.0.0.1:9", "ph_key")
