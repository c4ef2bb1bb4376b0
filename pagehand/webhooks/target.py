"""Refusing webhook addresses that can never be reached."""

from urllib.parse import urlsplit

from pagehand.egress.policy import EgressPolicy
from pagehand.errors import InvalidRequest
from pagehand.workflow.allowed_domains import WEB_PORTS


def check_target(policy: EgressPolicy, url: str) -> None:
    """Raise InvalidRequest for an address that the policy denies; names are resolved only for a delivery."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or WEB_PORTS[parts.scheme]
    except (ValueError, KeyError):
        raise _not_an_address() from None
    # urlsplit drops line ends, which the pattern of the API lets pass at the very end
    if not host or url != url.strip():
        raise _not_an_address()
    refusal = policy.refusal_of_address(host, port)
    if refusal is not None:
        raise InvalidRequest(f"`url`: {refusal.message}")


def _not_an_address() -> InvalidRequest:
    return InvalidRequest("`url`: expected an address such as `https://hooks.example.com/pagehand`")
