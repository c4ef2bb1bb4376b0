"""Links to the live view: whoever holds one may watch an execution's browser, or drive it."""

from typing import Any, Final, Literal

from pagehand.clock import now_ms
from pagehand.files.signing import UrlSigner
from pagehand.records import Execution

LIVE_VIEW: Final = "live view"
"""The kind of a token whose resource is an execution's id."""
PATH: Final = "/live"

Mode = Literal["view", "control"]


class LiveViewLinks:
    """Makes the `liveViewUrl` of executions; each is good for as long as its execution may run."""

    def __init__(self, signer: UrlSigner) -> None:
        self._signer = signer

    def __call__(self, execution: Execution, mode: Mode = "control") -> str:
        """The link to an execution's browser."""
        seconds = max(1, -(-(execution.deadline_at - now_ms()) // 1000))
        token = self._signer.token(
            LIVE_VIEW, execution.organization_id, execution.id, mode=mode, lifetime_seconds=seconds
        )
        return self._signer.address(PATH, token)


def only_to_watch(signer: UrlSigner, execution: Execution) -> Execution:
    """The execution with links that do not let their holder drive, for callers who may only read."""
    if execution.live_view_url is not None:
        execution.live_view_url = LiveViewLinks(signer)(execution, "view")
    authentications: list[dict[str, Any]] = []
    for one in execution.authentications:
        url = one["liveViewUrl"] and LiveViewLinks(signer)(execution, "view")
        authentications.append({**one, "liveViewUrl": url})
    execution.authentications = authentications
    return execution
