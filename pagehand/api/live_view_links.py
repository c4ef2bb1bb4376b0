"""Links to the live view: whoever holds one may watch an execution's browser, or drive it."""

from dataclasses import replace
from typing import Final, Literal

from msgspec import structs

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
        # rounded up, so that the link of an execution in its last second still works
        seconds = max(1, -(-(execution.deadline_at - now_ms()) // 1000))
        token = self._signer.token(
            LIVE_VIEW, execution.organization_id, execution.id, mode=mode, lifetime_seconds=seconds
        )
        return self._signer.address(PATH, token)


def with_links(signer: UrlSigner, execution: Execution, *, may_drive: bool) -> Execution:
    """The execution with links through this process that let their holder drive, or only watch.

    The process that runs it may be another one, with an address of its own.
    """
    url = execution.live_view_url
    if may_drive and (url is None or url.startswith(signer.address(PATH, ""))):
        return execution
    link = LiveViewLinks(signer)(execution, "control" if may_drive else "view")
    # a copy: the engine may hold the same record for the run, whose own links stay as they are
    return replace(
        execution,
        live_view_url=None if url is None else link,
        authentications=[
            structs.replace(sign_in, live_view_url=link) if sign_in.live_view_url else sign_in
            for sign_in in execution.authentications
        ],
    )
