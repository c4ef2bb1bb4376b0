"""The kinds of blocks that a script for Playwright can do, each as lines of Python."""

import re
from collections.abc import Callable
from typing import Any, Final

from pagehand.exports.expressions import NotExported, element, many, python_expression, text_literal
from pagehand.records import Json, is_object

LoginOf = Callable[[str], Json | None]
"""The stored login with that id, without its secrets."""
Lines = Callable[[Json, Json | None, LoginOf], list[str]]
_STATES: Final = {
    "visible": "{0}.first.is_visible()",
    "hidden": "not {0}.first.is_visible()",
    "exists": "bool({0}.count())",
    "enabled": "{0}.first.is_enabled()",
    "disabled": "{0}.first.is_disabled()",
    "checked": "{0}.first.is_checked()",
    "unchecked": "not {0}.first.is_checked()",
    "textContains": "{1} in {0}.first.inner_text()",
    "valueEquals": "{0}.first.input_value() == {1}",
}
_COUNT: Final = re.compile(r"count\s*(>=|<=|=|>|<)\s*(\d+)")


def condition(given: Any) -> str:
    """A condition as an expression of Python."""
    if isinstance(given, str):
        return python_expression(given)
    if "expression" in given:
        return python_expression(given["expression"])
    if "url" in given:
        return f"matches({text_literal(given['url'])}, page.url)"
    if "element" not in given:
        raise NotExported("a model judges the condition")
    elements, state = many(given["element"]), given.get("state") or "visible"
    if count := _COUNT.fullmatch(state):
        return f"{elements}.count() {'==' if count[1] == '=' else count[1]} {int(count[2])}"
    if state not in _STATES:
        raise NotExported(f"the state `{state}` is not known")
    return _STATES[state].format(elements, text_literal(given.get("value")))


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NotExported("a number in it is a template")
    return value


def _navigate(data: Json, *_: object) -> list[str]:
    lines: list[str] = []
    if (tab := data.get("tab")) is not None:
        if not isinstance(tab, int):
            raise NotExported("tabs are named by their position in a script")
        lines += [f"page = page.context.pages[{tab!r}]"]
    if data.get("newTab"):
        lines += ["page = page.context.new_page()"]
    if data.get("url"):
        lines += [f"page.goto({text_literal(data['url'])}, wait_until={data.get('waitUntil', 'load')!r})"]
    return lines


def _login(data: Json, locator: Json | None, login_of: LoginOf) -> list[str]:
    del locator
    login = login_of(str(data.get("loginId") or ""))
    if login is None:
        raise NotExported("the login that an execution is started with is not known")
    name, username = login["name"], login["username"]
    return [f"sign_in(page, {login['url']!r}, {name!r}, {username!r})"]


def _with_dialog(data: Json) -> list[str]:
    dialog = data.get("dialog")
    if not is_object(dialog):
        return []
    text = text_literal(dialog["text"]) if dialog.get("text") is not None else ""
    answer = f"accept({text})" if dialog["action"] == "accept" else "dismiss()"
    return [f"page.once('dialog', lambda dialog: dialog.{answer})"]


def _mouse(data: Json, locator: Json | None, *_: object) -> list[str]:
    action = data.get("action", "click")
    options = f"modifiers={data['modifiers']!r}" if data.get("modifiers") else ""
    if action == "scroll" and locator is None:
        return [f"page.mouse.wheel({_number(data.get('x') or 0)!r}, {_number(data.get('y') or 0)!r})"]
    if action == "scroll":
        return [f"{element(locator)}.scroll_into_view_if_needed()"]
    if action == "drag" and data.get("toLocator"):
        return [f"{element(locator)}.drag_to({element(data['toLocator'])})"]
    calls = {"click": "click", "doubleClick": "dblclick", "rightClick": "click", "move": "hover"}
    if action not in calls or locator is None:
        raise NotExported(f"`{action}` at a point has no counterpart")
    if action == "rightClick":
        options = ", ".join(filter(None, ["button='right'", options]))
    call = f"{element(locator)}.{calls[action]}({options})"
    repeated = [call] * int(_number(data.get("count") or 1))
    return [*_with_dialog(data), *_expecting(data.get("expect"), repeated)]


def _expecting(expected: str | None, calls: list[str]) -> list[str]:
    inside = [f"    {call}" for call in calls]
    if expected == "popup":
        return ["with page.expect_popup() as opened:", *inside, "page = opened.value"]
    if expected == "download":
        return _downloading(calls[0], None)
    if expected == "navigation":
        return ["with page.expect_navigation():", *inside]
    return calls


def _downloading(call: str, name: str | None) -> list[str]:
    wanted = text_literal(name) if name else "download.value.suggested_filename"
    return [
        "with page.expect_download() as download:",
        f"    {call}",
        f"OUTPUT = os.path.basename({wanted})",
        f"download.value.save_as(os.path.basename({wanted}))",
    ]


def _download(data: Json, locator: Json | None, *_: object) -> list[str]:
    if data.get("url"):
        name = text_literal(data.get("fileName") or "download")
        address = f"page.evaluate('url => new URL(url, document.baseURI).href', {text_literal(data['url'])})"
        return [
            f"OUTPUT = os.path.basename({name})",
            f"with open(os.path.basename({name}), 'wb') as file:",
            f"    file.write(page.context.request.get({address}).body())",
        ]
    return [*_with_dialog(data), *_downloading(f"{element(locator)}.click()", data.get("fileName"))]


def _hover(data: Json, locator: Json | None, login_of: LoginOf) -> list[str]:
    del data, login_of
    return [f"{element(locator)}.hover()"]


def _input(data: Json, locator: Json | None, *_: object) -> list[str]:
    return [*_with_dialog(data), *_filled(data, locator)]


def _filled(data: Json, locator: Json | None) -> list[str]:
    where = _field_of(data, locator)
    if data.get("mode") == "aiInference":
        raise NotExported("a model finds the field")
    value, kind = data.get("value"), data.get("inputType", "TextInput")
    if "{{login." in str(value):
        raise NotExported("it types a secret of a login")
    keys: list[str] = [*(data.get("pressKeys") or []), *(["Enter"] if data.get("pressEnter") else [])]
    pressed = [f"{where}.press({text_literal(key)})" for key in keys]
    if data.get("clearFirst") is False:
        return ([f"{where}.press_sequentially({text_literal(value)})"] if value else []) + pressed
    return [f"set_field({where}, {kind!r}, {text_literal(value)})", *pressed]


def _field_of(data: Json, locator: Json | None) -> str:
    return element(locator) if locator else f"field(page, {text_literal(data.get('key') or '')})"


def _form(data: Json, locator: Json | None, *_: object) -> list[str]:
    fields: list[Json] = data["fields"]
    lines = [line for field in fields for line in _filled(field, field.get("locator"))]
    if data.get("submitLocator"):
        return [*lines, *_with_dialog(data), f"{element(data['submitLocator'])}.click()"]
    if not data.get("submit"):
        return lines
    last: Json = fields[-1] if fields else {}
    start = _field_of(last, locator or last.get("locator"))
    button = "locator('xpath=ancestor-or-self::form').locator(':is(button:not([type]), [type=submit])')"
    return [*lines, *_with_dialog(data), f"{start}.{button}.first.click()"]


def _dropdown(data: Json, locator: Json | None, *_: object) -> list[str]:
    by = {"text": "label", "value": "value", "index": "index"}.get(data.get("matchBy", "text"))
    if by is None:
        raise NotExported("the closest option is found by Pagehand's own rules")
    value = data.get("values", data.get("value"))
    return [*_with_dialog(data), f"{element(locator)}.select_option({by}={text_literal(value)})"]


def _search(data: Json, locator: Json | None, *_: object) -> list[str]:
    box = element(locator) if locator else "page.locator('input[type=search], [role=searchbox]').first"
    return [
        f"{box}.fill({text_literal(data['query'])})",
        f"{box}.press('Enter')",
        "page.wait_for_load_state()",
    ]


def _extract(data: Json, locator: Json | None, *_: object) -> list[str]:
    fields = data.get("fields")
    if not is_object(fields):
        raise NotExported("it reads the page by its structure")
    if data.get("schema"):
        raise NotExported("its values are converted by a schema")
    around = "one" if data.get("many") else element(locator) if locator else "page"
    parts = [f"{name!r}: {_field(given, around)}" for name, given in fields.items()]
    made = "{" + ", ".join(parts) + "}"
    if not data.get("many"):
        return [f"OUTPUT = {made}"]
    everything = many(locator or {})
    return [f"{everything}.first.wait_for()", f"OUTPUT = [{made} for one in {everything}.all()]"]


def _field(given: Json, around: str) -> str:
    around = "page.locator('html')" if around == "page" and not given.get("locator") else around
    where = many(given["locator"], around) if given.get("locator") else around
    return f"read({where}, {given.get('attribute')!r}, many={bool(given.get('many'))})"


def _wait(data: Json, *_: object) -> list[str]:
    return [f"page.wait_for_timeout({text_literal(data.get('durationMs', 1000))})"]


def _wait_for(data: Json, *_: object) -> list[str]:
    seconds = _number(data.get("timeoutMs") or 30_000) / 1000
    return [f"wait_until(lambda: {condition(data['condition'])}, {str(data['condition'])!r}, {seconds!r})"]


def _fail(data: Json, *_: object) -> list[str]:
    said = text_literal(data.get("message") or str(data["condition"]))
    return [f"if {condition(data['condition'])}:", f"    sys.exit({said})"]


def _transform(data: Json, *_: object) -> list[str]:
    code = data["code"].strip()
    made = python_expression(code)
    given = f"names['input'] = fill({data.get('input')!r})"
    if code.startswith("lambda"):
        arguments = "names['input'], names" if "," in code.partition(":")[0] else "names['input']"
        return [given, f"OUTPUT = ({made})({arguments})"]
    return [given, f"OUTPUT = {made}"]


def _csv(data: Json, *_: object) -> list[str]:
    if data.get("delimiter", ",") != "," or data.get("header") is False:
        raise NotExported("only commas and a header row are written")
    name = text_literal(data.get("fileName") or "data.csv")
    return [f"OUTPUT = write_csv(fill({data['input']!r}), os.path.basename({name}), {data.get('columns')!r})"]


def _pdf(data: Json, *_: object) -> list[str]:
    name = f"os.path.basename({text_literal(data.get('fileName') or 'page.pdf')})"
    options = (
        f"format={data.get('format', 'A4')!r}, landscape={bool(data.get('landscape'))}, print_background=True"
    )
    return [f"OUTPUT = {name}", f"page.pdf(path={name}, {options})"]


def _close(data: Json, *_: object) -> list[str]:
    if data.get("which", "current") != "current":
        raise NotExported("only the current tab is closed")
    return ["context = page.context", "page.close()", "page = context.pages[-1]"]


def _leave(word: str) -> Lines:
    def lines(data: Json, *_: object) -> list[str]:
        given = data.get("condition")
        return [word] if given is None else [f"if {condition(given)}:", f"    {word}"]

    return lines


BLOCKS: Final[dict[str, Lines]] = {
    "Navigate": _navigate,
    "Login": _login,
    "Mouse": _mouse,
    "Hover": _hover,
    "Input": _input,
    "Form": _form,
    "Dropdown": _dropdown,
    "Search": _search,
    "Extract": _extract,
    "DownloadFile": _download,
    "SaveAsPdf": _pdf,
    "Wait": _wait,
    "WaitForCondition": _wait_for,
    "FailOnCondition": _fail,
    "Transform": _transform,
    "ParseToCsv": _csv,
    "ClosePage": _close,
    "ExitFromLoop": _leave("break"),
    "Next": _leave("continue"),
}
