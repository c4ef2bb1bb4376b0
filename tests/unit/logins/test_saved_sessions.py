"""What is kept of a browser for the next run: the login's own site alone, sealed, and the newest sign-in."""

from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from playwright.async_api import Error as PlaywrightError

from pagehand.errors import OurFault
from pagehand.logins.profile import Profile
from pagehand.logins.saved_sessions import SavedSessions, new_session, restored_session, session_location
from pagehand.records import Login, SavedSession
from support.logins import VAULT, login_of

pytestmark = pytest.mark.anyio
SITE = "https://www.bank.example/sign-in"


class MemoryStore:
    """One session per login, as the real store keeps them."""

    def __init__(self) -> None:
        self.saved: SavedSession | None = None

    async def session(self, organization_id: str, login_id: str, /) -> SavedSession | None:
        found = self.saved
        is_own = found is not None and (found.organization_id, found.login_id) == (organization_id, login_id)
        return found if is_own else None

    async def put_session(self, saved: SavedSession, /) -> None:
        self.saved = saved

    async def refresh_session(self, saved: SavedSession, /) -> bool:
        is_same = self.saved is not None and self.saved.generation == saved.generation
        if is_same:
            self.saved = saved
        return is_same


def cookie(name: str, domain: str, path: str = "/") -> dict[str, str]:
    return {"name": name, "domain": domain, "path": path, "value": "1"}


class Context:
    """A browser context with this state; tabs answer with the session storage they have."""

    def __init__(self, cookies: list[Any], origins: list[Any], tabs: list[Any] | None = None) -> None:
        self.state: Any = {"cookies": cookies, "origins": origins}
        self.pages = [SimpleNamespace(evaluate=answering(tab)) for tab in tabs or []]
        self.scripts: list[str] = []

    async def storage_state(self, *, indexed_db: bool) -> Any:
        assert indexed_db
        return self.state

    async def set_storage_state(self, state: Any) -> None:
        self.state = state

    async def add_init_script(self, script: str) -> Any:
        self.scripts.append(script)
        return InitScript(self)

    @property
    def page(self) -> Any:
        return SimpleNamespace(context=self)


class InitScript:
    """Playwright removes the script when this is left."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        self._context.scripts.pop()


def answering(tab: Any) -> Any:
    async def evaluate(_: str) -> Any:
        if isinstance(tab, Exception):
            raise tab
        return tab

    return evaluate


def bank(updated_at: int = 1, **fields: Any) -> Login:
    login = login_of(Profile(authentication_url=SITE, home_url=SITE, **fields))
    login.updated_at = updated_at
    return login


def opened(store: MemoryStore) -> Any:
    assert store.saved is not None
    return orjson.loads(
        VAULT.open(store.saved.sealed, session_location(store.saved.organization_id, store.saved.login_id))
    )


async def test_only_what_belongs_to_the_logins_own_site_is_kept() -> None:
    store, login = MemoryStore(), bank(sign_in_urls=("https://id.example/",))
    context = Context(
        [
            cookie("host", "www.bank.example"),
            cookie("parent", ".bank.example"),
            cookie("below", "api.bank.example"),
            cookie("provider", "id.example"),
            cookie("look-alike", "notbank.example"),
            cookie("other", "shop.example"),
            cookie("suffix", "bank.example.evil.test"),
        ],
        [
            {"origin": "https://www.bank.example"},
            {"origin": "https://shop.example"},
            {"origin": "http://www.bank.example"},
        ],
        [["https://www.bank.example", {"token": "t"}], ["https://shop.example", {"x": "y"}], None],
    )
    await SavedSessions(store, VAULT).save(context.page, new_session(login))
    state = opened(store)
    names = [item["name"] for item in state["browser"]["cookies"]]
    assert names == ["host", "parent", "below", "provider"]
    assert state["browser"]["origins"] == [{"origin": "https://www.bank.example"}]
    assert state["sessionStorage"] == {"https://www.bank.example": {"token": "t"}}


async def test_the_newest_tabs_session_storage_counts_and_a_closing_tab_adds_nothing() -> None:
    store, origin = MemoryStore(), "https://www.bank.example"
    tabs: list[Any] = [
        [origin, {"t": "old"}],
        [origin, {"t": "new"}],
        PlaywrightError("closed"),
        [origin, {}],
    ]
    await SavedSessions(store, VAULT).save(Context([], [], tabs).page, new_session(bank()))
    assert opened(store)["sessionStorage"] == {origin: {"t": "new"}}


async def test_nothing_of_a_session_can_be_read_in_the_store_or_under_another_login() -> None:
    store, login = MemoryStore(), bank()
    context = Context([cookie("s3cr3t-cookie", "www.bank.example")], [])
    await SavedSessions(store, VAULT).save(context.page, new_session(login))
    assert store.saved is not None
    assert b"s3cr3t" not in store.saved.sealed
    with pytest.raises(OurFault):
        VAULT.open(store.saved.sealed, session_location(login.organization_id, "login_of_another"))


async def test_a_saved_session_is_loaded_for_the_same_version_of_the_login_alone() -> None:
    store, login = MemoryStore(), bank()
    sessions = SavedSessions(store, VAULT)
    assert await sessions.load(login) is None
    await sessions.save(Context([cookie("a", "www.bank.example")], []).page, new_session(login))
    loaded = await sessions.load(login)
    assert loaded is not None
    assert not loaded[0].is_new
    assert [item.get("name") for item in loaded[1]["browser"].get("cookies", [])] == ["a"]
    login.updated_at += 1
    assert await sessions.load(login) is None


async def test_a_run_with_an_older_session_does_not_undo_a_newer_sign_in() -> None:
    store, login = MemoryStore(), bank()
    sessions = SavedSessions(store, VAULT)
    older = new_session(login)
    await sessions.save(Context([cookie("first", "www.bank.example")], []).page, older)
    await sessions.save(Context([cookie("second", "www.bank.example")], []).page, new_session(login))
    await sessions.save(Context([cookie("late", "www.bank.example")], []).page, older)
    assert [item["name"] for item in opened(store)["browser"]["cookies"]] == ["second"]


async def test_a_session_is_refreshed_with_what_the_browser_has_at_the_end() -> None:
    store, login = MemoryStore(), bank()
    sessions, signed_in = SavedSessions(store, VAULT), new_session(login)
    for name in ("first", "second"):
        await sessions.save(Context([cookie(name, "www.bank.example")], []).page, signed_in)
    assert [item["name"] for item in opened(store)["browser"]["cookies"]] == ["second"]


async def test_restoring_keeps_what_other_logins_of_the_run_have_and_replaces_the_same() -> None:
    context: Any = Context(
        [cookie("own", "www.bank.example") | {"value": "stale"}, cookie("shop", "shop.example")],
        [{"origin": "https://shop.example"}],
    )
    state: Any = {
        "browser": {
            "cookies": [cookie("own", "www.bank.example"), cookie("own", "www.bank.example", "/app")],
            "origins": [{"origin": "https://www.bank.example"}],
        },
        "sessionStorage": {"https://www.bank.example": {"token": "</script>"}},
    }
    async with restored_session(context, state):
        assert '"token"' in context.scripts[0]
    assert context.scripts == []
    kept = {(item["name"], item["path"], item["value"]) for item in context.state["cookies"]}
    assert kept == {("own", "/", "1"), ("own", "/app", "1"), ("shop", "/", "1")}
    assert len(context.state["origins"]) == 2
