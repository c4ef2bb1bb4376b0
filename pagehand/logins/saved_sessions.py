"""What a site knows a browser by, kept per login so that the next run is signed in already."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast
from urllib.parse import urlsplit

import orjson
from playwright.async_api import BrowserContext, Page, StorageState
from playwright.async_api import Error as PlaywrightError

from pagehand.clock import now_ms
from pagehand.ids import new_id
from pagehand.javascript import load_script
from pagehand.logins.profile import profile_of
from pagehand.logins.sign_in.site import Site
from pagehand.records import Json, Login, SavedSession
from pagehand.secrets.vault import Place, Vault

# runs before any script of the page
_FILL: Final = load_script(__file__, "fill_session_storage")
_READ: Final = load_script(__file__, "read_session_storage")


class SessionStore(Protocol):
    """Where sessions are kept, encrypted."""

    async def session(self, organization_id: str, login_id: str, /) -> SavedSession | None:
        """The one of a login."""
        ...

    async def put_session(self, saved: SavedSession, /) -> None:
        """Keep a new one in place of whatever there was."""
        ...

    async def refresh_session(self, saved: SavedSession, /) -> bool:
        """Write the state of a session anew; False when a newer sign-in has replaced it."""
        ...


@dataclass(slots=True)
class SignedIn:
    """A sign-in whose session is worth keeping."""

    login: Login
    generation: str
    """Names the session: of two runs that began with the same one, neither undoes a newer sign-in."""
    is_new: bool


class SavedSessions:
    """Keeps the sessions of logins with `persistSession`."""

    def __init__(self, store: SessionStore, vault: Vault) -> None:
        self._store = store
        self._vault = vault

    async def load(self, login: Login) -> tuple[SignedIn, Json] | None:
        """The session saved for this version of the login; changing the login ends it."""
        saved = await self._store.session(login.organization_id, login.id)
        # the password or the address may be another now
        if saved is None or saved.login_version != login.updated_at:
            return None
        state = orjson.loads(self._vault.open(saved.sealed, place(login.organization_id, login.id)))
        return SignedIn(login, saved.generation, is_new=False), state

    async def save(self, page: Page, signed_in: SignedIn) -> None:
        """Keep what the browser has now; a session that a newer sign-in replaced stays replaced."""
        login = signed_in.login
        state = await _read(page.context, login)
        saved = SavedSession(
            login_id=login.id,
            organization_id=login.organization_id,
            generation=signed_in.generation,
            login_version=login.updated_at,
            sealed=self._vault.seal(orjson.dumps(state), place(login.organization_id, login.id)),
            saved_at=now_ms(),
        )
        # a refresh is conditional in the store: of two runs with one session, the newer sign-in stays
        if signed_in.is_new:
            await self._store.put_session(saved)
            signed_in.is_new = False
        else:
            await self._store.refresh_session(saved)


def new_session(login: Login) -> SignedIn:
    """A sign-in that has just been made."""
    return SignedIn(login, new_id("ls"), is_new=True)


def place(organization_id: str, login_id: str) -> Place:
    """Where a session is sealed for."""
    return Place(organization_id, "login_sessions", login_id, "sealed")


@asynccontextmanager
async def restored(context: BrowserContext, state: Json) -> AsyncGenerator[None]:
    """Put a saved state into the browser; within, new documents find their session storage, too."""
    # setting a state replaces everything, also what another login of this run has left
    now = cast("Json", await context.storage_state(indexed_db=True))
    await context.set_storage_state(cast("StorageState", _merged(now, state["browser"])))
    async with await context.add_init_script(f"({_FILL})({json.dumps(state['sessionStorage'])})"):
        yield


def _merged(now: Json, saved: Json) -> Json:
    def cookie_key(cookie: Json) -> tuple[str, ...]:
        return cookie["name"], cookie["domain"], cookie["path"]

    cookies = {cookie_key(cookie): cookie for cookie in [*now["cookies"], *saved["cookies"]]}
    origins = {origin["origin"]: origin for origin in [*now["origins"], *saved["origins"]]}
    return {"cookies": list(cookies.values()), "origins": list(origins.values())}


async def _read(context: BrowserContext, login: Login) -> Json:
    """What belongs to the login's own site; other logins of the same run have their own."""
    profile = profile_of(login)
    urls = (profile.authentication_url, profile.home_url, *profile.sign_in_urls)
    site = Site(*urls)
    hosts = {urlsplit(url).hostname or "" for url in urls}
    state = cast("Json", await context.storage_state(indexed_db=True))
    cookies = [cookie for cookie in state["cookies"] if _is_for(cookie["domain"].lstrip("."), hosts)]
    origins = [origin for origin in state["origins"] if site.includes(origin["origin"])]
    return {
        "browser": {"cookies": cookies, "origins": origins},
        "sessionStorage": await _session_storage(context, site),
    }


def _is_for(domain: str, hosts: set[str]) -> bool:
    return any(
        domain == host or host.endswith(f".{domain}") or domain.endswith(f".{host.removeprefix('www.')}")
        for host in hosts
    )


async def _session_storage(context: BrowserContext, site: Site) -> dict[str, dict[str, str]]:
    """Session storage by origin; where several tabs have one the newest tab's counts."""
    found: dict[str, dict[str, str]] = {}
    for page in context.pages:
        try:
            read: Any = await page.evaluate(_READ)
        except PlaywrightError:
            continue  # a page that is just closing or loading has nothing to add
        if read is not None and read[1] and site.includes(read[0]):
            found[read[0]] = read[1]
    return found
