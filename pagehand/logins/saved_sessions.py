"""Saved browser sessions: cookies and storage of a login's site, with which the next run is signed in."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypedDict
from urllib.parse import urlsplit

import orjson
from playwright.async_api import BrowserContext, Page, StorageState
from playwright.async_api import Error as PlaywrightError

from pagehand.clock import now_ms
from pagehand.ids import new_id
from pagehand.javascript import load_script
from pagehand.logins.profile import LoginSite, profile_of
from pagehand.records import Login, SavedSession
from pagehand.secrets.vault import FieldLocation, Vault

# runs before any script of the page
_FILL: Final = load_script(__file__, "fill_session_storage")
_READ: Final = load_script(__file__, "read_session_storage")


class SessionStore(Protocol):
    """Where sessions are kept, encrypted."""

    async def session(self, organization_id: str, login_id: str, /) -> SavedSession | None:
        """The session of a login."""
        ...

    async def put_session(self, saved: SavedSession, /) -> None:
        """Store a new session instead of the last one."""
        ...

    async def refresh_session(self, saved: SavedSession, /) -> bool:
        """Update the state of a session; False when a newer sign-in has replaced it."""
        ...


class SessionState(TypedDict):
    """What is saved of a session, as JSON."""

    browser: StorageState
    """Cookies, local storage and IndexedDB."""
    sessionStorage: dict[str, dict[str, str]]
    """By origin."""


@dataclass(slots=True)
class SessionToSave:
    """A sign-in whose session is to be saved."""

    login: Login
    generation: str
    """Identifies the session: a run that started with an older one does not overwrite a newer sign-in."""
    is_new: bool


class SavedSessions:
    """Saves and loads the sessions of logins with `persistSession`."""

    def __init__(self, store: SessionStore, vault: Vault) -> None:
        self._store = store
        self._vault = vault

    async def load(self, login: Login) -> tuple[SessionToSave, SessionState] | None:
        """The session saved for this version of the login and its state; None after the login has changed."""
        saved = await self._store.session(login.organization_id, login.id)
        # the password or the address may have changed
        if saved is None or saved.login_version != login.updated_at:
            return None
        state: SessionState = orjson.loads(
            self._vault.open(saved.sealed, session_location(login.organization_id, login.id))
        )
        return SessionToSave(login, saved.generation, is_new=False), state

    async def save(self, page: Page, signed_in: SessionToSave) -> None:
        """Save the browser's current state, unless a newer sign-in has replaced the session."""
        login = signed_in.login
        state = await _read_state(page.context, login)
        saved = SavedSession(
            login_id=login.id,
            organization_id=login.organization_id,
            generation=signed_in.generation,
            login_version=login.updated_at,
            sealed=self._vault.seal(orjson.dumps(state), session_location(login.organization_id, login.id)),
            saved_at=now_ms(),
        )
        # the store refreshes only the same generation: a newer sign-in of another run stays
        if signed_in.is_new:
            await self._store.put_session(saved)
            signed_in.is_new = False
        else:
            await self._store.refresh_session(saved)


def new_session(login: Login) -> SessionToSave:
    """The session of a sign-in that was just made."""
    return SessionToSave(login, new_id("ls"), is_new=True)


def session_location(organization_id: str, login_id: str) -> FieldLocation:
    """The vault location of a session."""
    return FieldLocation(organization_id, "login_sessions", login_id, "sealed")


@asynccontextmanager
async def restored_session(context: BrowserContext, state: SessionState) -> AsyncGenerator[None]:
    """Put a saved state into the browser; within, new documents get their session storage too."""
    # setting a state replaces everything, also what another login of this run has stored
    current = await context.storage_state(indexed_db=True)
    await context.set_storage_state(_merged(current, state["browser"]))
    async with await context.add_init_script(f"({_FILL})({json.dumps(state['sessionStorage'])})"):
        yield


async def read_whole_state(context: BrowserContext) -> SessionState:
    """The state of every site that the browser has visited."""
    return {
        "browser": await context.storage_state(indexed_db=True),
        "sessionStorage": await _session_storage(context, lambda _: True),
    }


def _merged(current: StorageState, saved: StorageState) -> StorageState:
    cookies = {
        (cookie.get("name"), cookie.get("domain"), cookie.get("path")): cookie
        for state in (current, saved)
        for cookie in state.get("cookies", [])
    }
    origins = {origin["origin"]: origin for state in (current, saved) for origin in state.get("origins", [])}
    return {"cookies": list(cookies.values()), "origins": list(origins.values())}


async def _read_state(context: BrowserContext, login: Login) -> SessionState:
    """The state of the login's own site; other logins of the same run save theirs."""
    profile = profile_of(login)
    urls = profile.addresses().values()
    site = LoginSite(*urls)
    hosts = {urlsplit(url).hostname or "" for url in urls}
    state = await context.storage_state(indexed_db=True)
    cookies = [
        cookie
        for cookie in state.get("cookies", [])
        if _is_cookie_of(cookie.get("domain", "").lstrip("."), hosts)
    ]
    origins = [origin for origin in state.get("origins", []) if site.includes(origin["origin"])]
    return {
        "browser": {"cookies": cookies, "origins": origins},
        "sessionStorage": await _session_storage(context, site.includes),
    }


def _is_cookie_of(domain: str, hosts: set[str]) -> bool:
    return any(
        domain == host or host.endswith(f".{domain}") or domain.endswith(f".{host.removeprefix('www.')}")
        for host in hosts
    )


async def _session_storage(
    context: BrowserContext, is_wanted: Callable[[str], bool]
) -> dict[str, dict[str, str]]:
    """Session storage by origin; of several tabs the newest counts."""
    found: dict[str, dict[str, str]] = {}
    for page in context.pages:
        try:
            stored: Any = await page.evaluate(_READ)
        except PlaywrightError:
            continue  # a page that is closing or loading has none
        if stored is not None and stored[1] and is_wanted(stored[0]):
            found[stored[0]] = stored[1]
    return found
