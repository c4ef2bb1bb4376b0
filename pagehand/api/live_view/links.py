"""Signed links to the live view: who holds one may watch an execution's browser, or drive it."""

from dataclasses import replace
from typing import Final, Literal

from msgspec import structs

from pagehand.api.auth import Access
from pagehand.api.services import ApiServices
from pagehand.clock import now_ms
from pagehand.errors import Forbidden, NotFound
from pagehand.files import SignedResource, UrlSigner
from pagehand.records import Execution

LIVE_VIEW: Final = "live view"
"""The kind of a token whose resource is an execution's id."""
PATH: Final = "/live"

Mode = Literal["view", "control"]


class LiveViewLinks:
    """Makes the `liveViewUrl` of executions; a link expires with its execution's deadline."""

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


async def open_token(services: ApiServices, token: str) -> SignedResource:
    """The execution and mode of a link's token; raises Forbidden and NotFound."""
    signed = services.signer.open(token)
    if signed.kind != LIVE_VIEW:
        raise Forbidden("`t`: this is not a link to a live view.")
    if await services.stores.executions.get(signed.organization_id, signed.resource) is None:
        raise NotFound("This execution is no longer there")
    await access_of(services, signed).check()
    return signed


def access_of(services: ApiServices, signed: SignedResource) -> Access:
    """The access of the caller who was given the link."""
    return Access(services.authenticator, signed.holder, "run" if signed.mode == "control" else "read")


def with_live_view_links(signer: UrlSigner, execution: Execution, *, may_drive: bool) -> Execution:
    """The execution with links that lead through this process and let their holder drive, or only watch.

    The stored links lead to the process that runs it, which may have another address, and end with nobody's
    access.
    """
    url = execution.live_view_url
    if url is None and not any(sign_in.live_view_url for sign_in in execution.authentications):
        return execution
    link = LiveViewLinks(signer)(execution, "control" if may_drive else "view")
    # a copy: the engine may hold the same record for the run, whose own links stay unchanged
    return replace(
        execution,
        live_view_url=None if url is None else link,
        authentications=[
            structs.replace(sign_in, live_view_url=link) if sign_in.live_view_url else sign_in
            for sign_in in execution.authentications
        ],
    )
