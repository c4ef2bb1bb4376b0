"""A captcha solver at an address that the operator sets."""

from dataclasses import dataclass

from pagehand.errors import SiteDown
from pagehand.records import Captcha

_OK = 200


@dataclass(frozen=True, slots=True)
class HttpCaptchaSolver:
    """Posts `{kind, siteKey, url}` as JSON and expects `{token}`; without a token it was not solved."""

    address: str

    async def solve(self, captcha: Captcha, *, timeout_seconds: float) -> str | None:
        """The token, or None when the solver gives none; SiteDown when it cannot be reached."""
        # the HTTP library costs 20 MB, so it is loaded by the first captcha and not at start
        import httpx2  # noqa: PLC0415 - see above

        asked = {"kind": captcha.kind, "siteKey": captcha.site_key, "url": captcha.url}
        try:
            async with httpx2.AsyncClient(timeout=timeout_seconds, trust_env=False) as client:
                answer = await client.post(self.address, json=asked)
                found = answer.json() if answer.status_code == _OK else None
        except (httpx2.HTTPError, ValueError) as error:
            raise SiteDown(f"The captcha solver did not answer: {type(error).__name__}.") from error
        token = found.get("token") if isinstance(found, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] - whatever it sent
        return token if isinstance(token, str) and token else None
