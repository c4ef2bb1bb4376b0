"""Calls to a vendor's HTTP API; failures become `Unavailable`."""

import ssl
from typing import Any, Final, TypeVar

import httpx2
import orjson
from msgspec import DecodeError
from msgspec.json import decode

from pagehand.errors import Unavailable

_SECONDS: Final = 60.0
_SHOWN: Final = 300
_GONE: Final = 404
_JSON: Final = {"Content-Type": "application/json; charset=utf-8"}
"""Selenium Grid refuses a body that does not name its encoding."""


_Answer = TypeVar("_Answer")


class VendorApi:
    """JSON over HTTP, with the vendor's credential."""

    def __init__(
        self, name: str, url: str, headers: dict[str, str] | None = None, certificates: str | None = None
    ) -> None:
        """`certificates` is a file of CA certificates to trust instead of the usual ones."""
        self._name = name
        verify = ssl.create_default_context(cafile=certificates) if certificates else True
        self._http = httpx2.AsyncClient(
            base_url=url.rstrip("/"), headers=headers or {}, timeout=_SECONDS, verify=verify
        )

    async def call(
        self, answer_type: type[_Answer], method: str, path: str, body: Any = None, **query: str
    ) -> _Answer:
        """The answer, decoded; raises `Unavailable` with the vendor's message."""
        answer = await self._send(method, path, body, query)
        if answer.is_error:
            raise self._refused(answer)
        try:
            return decode(answer.content, type=answer_type)
        except DecodeError as error:  # a page of a proxy, another service at this URL, or another version
            raise Unavailable(
                f"{self._name} gave an answer that cannot be read ({error}): {answer.text[:_SHOWN]}"
            ) from error

    async def delete(self, method: str, path: str, body: Any = None, **query: str) -> None:
        """End something; 404 counts as success."""
        answer = await self._send(method, path, body, query)
        if answer.is_error and answer.status_code != _GONE:
            raise self._refused(answer)

    async def close(self) -> None:
        """Close connections."""
        await self._http.aclose()

    async def _send(self, method: str, path: str, body: Any, query: dict[str, str]) -> httpx2.Response:
        try:
            content = None if body is None else orjson.dumps(body)
            return await self._http.request(
                method, path, content=content, headers=_JSON if content else None, params=query or None
            )
        except httpx2.HTTPError as error:
            raise Unavailable(f"{self._name} cannot be reached: {error or type(error).__name__}.") from error

    def _refused(self, answer: httpx2.Response) -> Unavailable:
        return Unavailable(f"{self._name} answered {answer.status_code}: {answer.text[:_SHOWN]}")
