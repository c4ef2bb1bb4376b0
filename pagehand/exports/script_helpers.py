# pyright: basic
"""Helpers that stand at the top of every exported script; they import Playwright and nothing of Pagehand."""

import base64
import csv
import hmac
import json
import os
import re
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, sync_playwright

TEMPLATE = re.compile(r"\\\{\{|\{\{\s*([A-Za-z_][\w-]*(?:\.[\w@$-]+(?: [\w@$-]+)*)*)\s*\}\}")
names: dict[str, Any] = {"params": {}, "blocks": {}}
"""What templates read: parameters, outputs of blocks, the item of a loop."""


def fill(value: Any) -> Any:
    """The value with its templates filled in."""
    if isinstance(value, dict):
        return {key: fill(item) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item) for item in value]
    if not isinstance(value, str):
        return value
    alone = TEMPLATE.fullmatch(value)
    if alone and alone[1]:
        return look_up(alone[1])
    return TEMPLATE.sub(lambda found: as_text(look_up(found[1])) if found[1] else "{{", value)


def look_up(path: str) -> Any:
    """What a path such as `params.name` means; None where there is nothing."""
    found: Any = names
    for step in path.split("."):
        if isinstance(found, list) and step.isdigit() and int(step) < len(found):
            found = found[int(step)]
        else:
            found = found.get(step) if isinstance(found, dict) else None
    return found


def as_text(value: Any) -> str:
    """A value inside other text."""
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def parameter(name: str, kind: str, default: Any, *, required: bool, secret: bool) -> Any:
    """A parameter: `name=value` on the command line unless it is secret, the environment, or its default."""
    variable = re.sub(r"\W", "_", name).upper()
    given = None if secret else dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word).get(name)
    given = os.environ.get(variable) if given is None else given
    if given is None and required and default is None:
        sys.exit(f"Set {variable}" + ("." if secret else f", or give {name}=VALUE."))
    if given is None or kind not in ("number", "boolean", "object", "array"):
        return default if given is None else given
    return json.loads(given)


def secret_of(login: str, field: str) -> str:
    """A secret of a login, from the environment."""
    variable = re.sub(r"\W+", "_", f"{login} {field}").strip("_").upper()
    return os.environ.get(variable) or sys.exit(f"Set {variable}: it is not part of the script.")


def sign_in(page: Page, url: str, login: str, username: str) -> None:
    """Sign in with a form of user name and password, and a one-time code if it is asked for."""
    page.goto(url)
    page.locator("input:is([type=text], [type=email], :not([type])):visible").first.fill(username)
    page.locator("input[type=password]:visible").first.fill(secret_of(login, "password"))
    page.locator("input[type=password]:visible").first.press("Enter")
    page.wait_for_load_state()
    code = page.locator("input[autocomplete=one-time-code]:visible")
    if code.count():
        code.fill(one_time_code(secret_of(login, "totp")))
        code.press("Enter")
        page.wait_for_load_state()


def one_time_code(seed: str) -> str:
    """The code of this half minute, as authenticator apps show it."""
    key = base64.b32decode(seed.upper() + "=" * (-len(seed) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(time.time()) // 30), "sha1").digest()
    number = struct.unpack_from(">I", digest, digest[-1] & 15)[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def wait_until(holds: Callable[[], bool], condition: str, seconds: float = 30) -> None:
    """Look until it holds; ends the script if it never does."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            sys.exit(f"This did not come true: {condition}")
        time.sleep(0.2)


def matches(pattern: str, address: str) -> bool:
    """Whether an address fits a pattern with `*` for anything, or holds it."""
    pieces = [re.escape(piece) for piece in pattern.split("*")]
    return re.fullmatch(".*".join(pieces), address) is not None if "*" in pattern else pattern in address


def field(page: Page, key: str) -> Locator:
    """A field by its label, or else by its placeholder, name or id."""
    quoted = json.dumps(key)
    by_name = page.locator(f"[name={quoted}], [id={quoted}]")
    return page.get_by_label(key).or_(page.get_by_placeholder(key, exact=True)).or_(by_name).first


def set_field(element: Locator, kind: str, value: Any) -> None:
    """Put a value into a field."""
    if kind == "Checkbox":
        element.set_checked(str(value).lower() == "true")
    elif kind in ("Dropdown", "NativeDropdown"):
        element.select_option(as_text(value))
    elif kind == "File":
        element.set_input_files(value)
    elif kind == "Radio":
        element.get_by_label(as_text(value)).or_(
            element.locator(f"[value={json.dumps(value)}]")
        ).first.check()
    else:
        element.fill(as_text(value))


def read(element: Locator, attribute: str | None, *, many: bool) -> Any:
    """What stands in the first element, or in all of them."""
    if many:
        return [read(match, attribute, many=False) for match in element.all()]
    if not element.count():
        return None
    first = element.first
    if attribute is None:
        return first.inner_text().strip()
    if attribute in ("value", "checked", "href", "src"):
        return first.evaluate("(el, name) => el[name]", attribute)
    return first.inner_html() if attribute == "html" else first.get_attribute(attribute)


def write_csv(rows: Any, file_name: str, columns: list[str] | None) -> str:
    """Write objects or lists as CSV."""
    keys = columns or (list(rows[0]) if rows and isinstance(rows[0], dict) else None)
    with open(file_name, "w", newline="", encoding="utf-8") as file:  # noqa: PTH123 - scripts need no more
        writer = csv.writer(file)
        if keys:
            writer.writerow(keys)
        writer.writerows(
            [row.get(key) for key in keys or ()] if isinstance(row, dict) else row for row in rows
        )
    return file_name


def begin(run: Callable[[Page], Page]) -> None:
    """Run the steps in a browser; `HEADED=1` shows it, `BROWSER` is the path of another one."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            headless=not os.environ.get("HEADED"), executable_path=os.environ.get("BROWSER") or None
        )
        run(browser.new_context(viewport={"width": 1280, "height": 800}).new_page())
        browser.close()
