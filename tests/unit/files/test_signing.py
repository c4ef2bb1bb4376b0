"""Links that open one thing, for a while, and cannot be made by others."""

from urllib.parse import parse_qs, urlsplit

import pytest

from pagehand.errors import Forbidden, NotFound
from pagehand.files import SignedResource, UrlSigner

signer = UrlSigner(b"s" * 32, "https://hand.example/", 900)


def test_a_link_leads_back_to_what_it_was_made_for() -> None:
    url = urlsplit(signer.url("file", "org_1", "file_ü/1"))
    assert (url.scheme, url.netloc, url.path) == ("https", "hand.example", "/files/download")
    token = parse_qs(url.query)["t"][0]
    assert signer.open(token) == SignedResource("file", "org_1", "file_ü/1")


def test_the_mode_is_part_of_what_is_signed() -> None:
    token = signer.token("live", "org_1", "exec_1", mode="control")
    assert signer.open(token).mode == "control"


def test_a_link_of_another_secret_is_forbidden() -> None:
    other = UrlSigner(b"o" * 32, "https://hand.example", 900)
    with pytest.raises(Forbidden):
        signer.open(other.token("file", "org_1", "file_1"))


@pytest.mark.parametrize("place", range(0, 98, 7))
def test_a_changed_link_is_forbidden(place: int) -> None:
    token = signer.token("file", "org_1", "file_1")
    changed = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
    with pytest.raises(Forbidden):
        signer.open(changed)


@pytest.mark.parametrize("resource", ["file_1", "file_12", "file_123"])
def test_only_the_one_spelling_of_a_link_opens(resource: str) -> None:
    token = signer.token("file", "org_1", resource)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    other = [token[:-1] + last for last in alphabet if last != token[-1]]
    for spelled in (
        *other,
        f"{token}=",
        f"{token}==",
        f"{token}\n",
        f"!{token}",
        token[:9] + "." + token[9:],
    ):
        with pytest.raises(Forbidden):
            signer.open(spelled)


@pytest.mark.parametrize("token", ["", "x", "ü", "a" * 43, "====", "%00"])
def test_nonsense_is_forbidden(token: str) -> None:
    with pytest.raises(Forbidden):
        signer.open(token)


def test_an_expired_link_is_not_found() -> None:
    with pytest.raises(NotFound, match="expired"):
        signer.open(signer.token("file", "org_1", "file_1", lifetime_seconds=0))
