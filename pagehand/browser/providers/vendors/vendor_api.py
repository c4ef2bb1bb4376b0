"""Calls to a vendor's HTTP API; failures become `Unavailable`."""

import asyncio
import ssl
from typing import Any, Final, TypeVar
from urllib.parse import quote

import httpx2
import orjson
from msgspec import DecodeError
from msgspec.json import decode

from pagehand.errors import Unavailable

_SECONDS: Final = 60.0
_SHOWN: Final = 300
_LONGEST_ANSWER: Final = 4 * 1024 * 1024
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
        self.url = url
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
        except (
            DecodeError,
            UnicodeError,
        ) as error:  # a page of a proxy, another service at this URL, or another version
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
        content = None if body is None else orjson.dumps(body)
        request = self._http.build_request(
            method, path, content=content, headers=_JSON if content else None, params=query or None
        )
        try:
            # in all: a vendor that sends a byte now and then would never reach the limit of a read
            async with asyncio.timeout(_SECONDS):
                return await self._read(await self._http.send(request, stream=True))
        except (httpx2.HTTPError, TimeoutError) as error:
            why = str(error) or type(error).__name__
            raise Unavailable(f"{self._name} cannot be reached: {why}.") from error

    async def _read(self, answer: httpx2.Response) -> httpx2.Response:
        content = bytearray()
        try:
            async for part in answer.aiter_bytes():
                content += part
                if len(content) > _LONGEST_ANSWER:
                    raise Unavailable(f"{self._name} answers without end.")
        finally:
            await answer.aclose()
        return httpx2.Response(answer.status_code, content=bytes(content))

    def _refused(self, answer: httpx2.Response) -> Unavailable:
        return Unavailable(f"{self._name} answered {answer.status_code}: {answer.text[:_SHOWN]}")


def path_part(vendor_id: str) -> str:
    """An id that a vendor gave, as part of a path."""
    return quote(vendor_id, safe="")
