"""Recordings of the Recorder in Chrome's DevTools: JSON, as `@puppeteer/replay` reads it.

A step names its element by several selectors; one of them is taken. Keys that go down and up are pressed. A
navigation that a click brings about is waited for anyway, so what `assertedEvents` say about it is left out.
"""

import re
from collections.abc import Callable
from typing import Any, Final

import orjson

from pagehand.imports.locators import any_of, attribute_css, css_xpath, strict
from pagehand.imports.reading import field, is_text_list, objects, text_of
from pagehand.imports.steps import NotMapped, Steps, is_secret_field, literal
from pagehand.records import Json, is_object

_ARIA: Final = re.compile(r'aria/(?P<name>.*?)(?:\[role="(?P<role>[\w-]+)"\])?', re.DOTALL)
_STABLE: Final = re.compile(r"#[A-Za-z][\w-]*|\[data-[\w-]+=[^\]]*\]|\[name=[^\]]*\]|\w+\[name=[^\]]*\]")
_ESCAPED: Final = re.compile(r"\\(.)")
_MODIFIERS: Final = ("Alt", "Control", "Meta", "Shift")
_KEYS: Final = {" ": "Space", "\r": "Enter", "\n": "Enter"}
_STATES: Final = {">=": ">=", "<=": "<=", "==": "="}
_REFLECTED: Final = {"id": "id", "className": "class", "name": "name", "title": "title", "type": "type"}
"""Properties that say what an attribute says."""
_OPENING_NO_TAB: Final = ("Navigate", "Hover", "WaitForCondition", "CodeV2")


def is_devtools(given: Any) -> bool:
    """Whether it looks like a recording of this tool."""
    return is_object(given) and "steps" in given and "workflow_definition" not in given


def import_devtools(given: Json) -> tuple[str, Steps]:
    """The title of a recording and its steps."""
    reader = _Reader()
    for number, step in enumerate(objects(given, "steps", "the recording"), 1):
        reader.read(step, f"step {number}")
    return text_of(given, "title", "the recording"), reader.steps


class _Reader:
    def __init__(self) -> None:
        self.steps = Steps()
        self._held: list[str] = []
        self._target = "main"
        self._frame = ""
        """The address of the frame that the step is in, if it is of another site."""
        self._led_to: list[str] = []
        """Where the step before has led its own target."""
        self._scrolled: dict[str, tuple[float, float]] = {}

    def read(self, step: Json, where: str) -> None:
        """Read one step; what has no counterpart becomes a comment."""
        self.steps.where = where
        kind = text_of(step, "type", where)
        done = _STEPS.get(kind, _Reader.unknown)
        try:
            if kind not in _ANYWHERE:
                self._in_target(text_of(step, "target", where) or "main")
                self._led_to = [text_of(event, "url", where) for event in _asserted(step, where)]
            done(self, step, where)
        except NotMapped as problem:
            self.steps.comment(_shown(step), str(problem))

    def _in_target(self, target: str) -> None:
        """Tabs and frames of other sites are named by their address, which changes as they are used."""
        before, self._target = self._target, target
        if target == before:
            return
        if target in self._led_to and before != "main":
            self._moved_on(target)
            return
        self._frame = ""
        name = "" if target == "main" else target
        opener = self.steps.blocks[-1] if self.steps.blocks else {}
        if name in self.steps.tabs:
            self.steps.in_tab(name)
        elif opener.get("type") == "Mouse":  # the first one that is new is the one that a click has opened
            opener["data"]["expect"] = "popup"
            self.steps.opened_tab(name)
        elif opener.get("type") in _OPENING_NO_TAB:
            self._frame = target
        else:
            self._target = before
            raise NotMapped(f"nothing has opened the tab `{target}`")

    def _moved_on(self, target: str) -> None:
        """The tab or frame of the step before shows another address now."""
        if self._frame:
            self._frame = target
        else:
            self.steps.rename_tab(self.steps.tab, target)

    def unknown(self, *_: object) -> None:
        raise NotMapped("there is no block for it")

    def navigate(self, step: Json, where: str) -> None:
        self.steps.open(literal(_needed(step, "url", where)))

    def click(self, step: Json, where: str) -> None:
        button = text_of(step, "button", where) or "primary"
        if button not in ("primary", "secondary"):
            raise NotMapped(f"there is no click with the button `{button}`")
        is_double = step["type"] == "doubleClick"
        action = "doubleClick" if is_double else "rightClick" if button == "secondary" else None
        modifiers = [key for key in _MODIFIERS if key in self._held] or None
        self.steps.click(self._locator(step, where), action=action, modifiers=modifiers)

    def hover(self, step: Json, where: str) -> None:
        self.steps.hover(self._locator(step, where))

    def change(self, step: Json, where: str) -> None:
        value = _needed(step, "value", where, may_be_empty=True)
        locator, hints = self._locator(step, where, is_field=True), _hints(step)
        if "[type='checkbox']" in hints.replace('"', "'") and value in ("true", "false"):
            self.steps.check(locator, on=value == "true")
        elif '[role="combobox"]' in hints or re.search(r"(?:^|[\s>/])select\b", hints):
            self.steps.choose(locator, literal(value), by="value")
        else:
            self.steps.fill(locator, literal(value), hints=hints)

    def key_down(self, step: Json, where: str) -> None:
        key = _needed(step, "key", where)
        key = _KEYS.get(key, key)
        if key in _MODIFIERS:
            self._held.append(key)
            return
        self.steps.press("+".join([*self._held, key]))

    def key_up(self, step: Json, where: str) -> None:
        key = _needed(step, "key", where)
        # a key that was pressed is let go of as well
        self._held = [held for held in self._held if held != key]

    def scroll(self, step: Json, where: str) -> None:
        """Positions are from the top of the page or the element; blocks scroll by a distance."""
        locator = self._locator(step, where) if step.get("selectors") else None
        name = str(locator)
        x, y = (float(field(step, key, (int, float), where) or 0) for key in "xy")
        before = self._scrolled.get(name, (0, 0))
        self._scrolled[name] = (x, y)
        self.steps.add("Mouse", locator, action="scroll", x=x - before[0], y=y - before[1])

    def close(self, *_: object) -> None:
        self.steps.close_tab()
        self._target = self.steps.tab or "main"

    def wait_for_element(self, step: Json, where: str) -> None:
        locator = any_of(self._locator(step, where))
        timeout = field(step, "timeout", int, where)
        operator, count = text_of(step, "operator", where) or "==", field(step, "count", int, where)
        if operator not in _STATES or (count is not None and count < 0):
            raise NotMapped(f"`{operator} {count}` is not a count")
        is_shown = field(step, "visible", bool, where) is not False
        properties: Json = field(step, "properties", dict, where) or {}
        attributes: Json = field(step, "attributes", dict, where) or {}
        # one visible element is what is asked for by default
        if count is None and operator == "==":
            state = "visible" if is_shown else "hidden"
        else:
            state = f"count{_STATES[operator]}{1 if count is None else count}"
        self.steps.wait_for({"element": locator, "state": state}, timeout_ms=timeout)
        self._properties(locator, properties, attributes)

    def _properties(self, locator: Json, properties: Json, attributes: Json) -> None:
        for name, value in properties.items():
            wanted = {"value": "valueEquals", "textContent": "textContains", "innerText": "textContains"}.get(
                name
            )
            if name == "checked" and isinstance(value, bool):
                state = "checked" if value else "unchecked"
                self.steps.wait_for({"element": locator, "state": state})
            elif wanted and isinstance(value, str):
                self.steps.wait_for_value(locator, wanted, literal(value))
            elif name in _REFLECTED:
                attributes = {**attributes, _REFLECTED[name]: value}
            else:
                self.steps.comment(f"property {name} = {_json(value)}", "there is no condition for it")
        for name, value in attributes.items():
            css = locator.get("css")
            if not css or not re.fullmatch(r"[\w-]+", name) or not isinstance(value, str):
                self.steps.comment(f"attribute {name} = {_json(value)}", "there is no condition for it")
                continue
            narrowed = {**locator, "css": f"{css}{attribute_css(name, literal(value))}"}
            self.steps.wait_for({"element": narrowed, "state": "exists"})

    def wait_for_expression(self, step: Json, where: str) -> None:
        """JavaScript of the recording, asked again and again as the Recorder does."""
        expression = _needed(step, "expression", where)
        if step.get("frame"):
            raise NotMapped("code runs in the main frame alone")
        code = (
            "async () => {\n  const end = Date.now() + 25000;\n"
            f"  while (!(await (\n{expression}\n  ))) {{\n"
            '    if (Date.now() > end) throw new Error("the expression did not become true");\n'
            "    await new Promise((done) => setTimeout(done, 200));\n  }\n}"
        )
        self.steps.add("CodeV2", language="javascript", code=code)

    def _locator(self, step: Json, where: str, *, is_field: bool = False) -> Json:
        selectors: list[Any] = field(step, "selectors", list, where) or []
        found = [located for selector in selectors if (located := _located(selector, is_field=is_field))]
        if not found:
            raise NotMapped("none of its selectors can be used")
        _, locator = min(found, key=lambda pair: pair[0])
        frame: list[Any] = field(step, "frame", list, where) or []
        if len(frame) > 1:
            raise NotMapped(
                f"it is in frame {_json(frame)}: positions of frames inside frames mean nothing to us"
            )
        # the recording has the position of the frame alone: the element is looked for in all of them
        inside = "iframe, frame" if frame else literal(self._frame)
        return {**locator, "frame": inside} if inside else locator


def _located(selector: Any, *, is_field: bool) -> tuple[int, Json] | None:
    """How good a selector is (less is better), and its locator; None for one that says nothing."""
    if isinstance(selector, str):
        selector = [selector]
    if not is_text_list(selector) or not selector or not all(selector):
        return None
    if len(selector) > 1:
        return _nested(selector)
    only = literal(selector[0])
    kind, _, rest = only.partition("/")
    if kind == "aria":
        return _by_name(only, is_field=is_field)
    if kind == "xpath":
        return 4, strict(xpath=rest)
    if kind == "text":
        return 5, strict(text=rest)
    css = rest if kind == "pierce" else only
    return (0 if _STABLE.fullmatch(css) else 3), strict(css=css)


def _by_name(selector: str, *, is_field: bool) -> tuple[int, Json] | None:
    """An accessible name; without a role it is the label of a field, or a text."""
    found = _ARIA.fullmatch(selector)
    name, role = (_ESCAPED.sub(r"\1", found["name"]), found["role"]) if found else ("", None)
    if role:
        return 1, strict(role=role, text=name)
    if not name:
        return None
    return (2, strict(label=name)) if is_field else (6, strict(text=name))


def _nested(parts: list[str]) -> tuple[int, Json] | None:
    """Selectors inside each other; CSS looks into shadow roots by itself."""
    plain = [part.removeprefix("pierce/") for part in parts]
    if any(part.startswith(("aria/", "text/", "xpath/")) for part in plain):
        return None
    # what stands before a shadow root has no effect on what stands inside it
    return 3, strict(css=" ".join(literal(part) for part in plain if css_xpath(part) or part == plain[-1]))


def _needed(step: Json, name: str, where: str, *, may_be_empty: bool = False) -> str:
    value = text_of(step, name, where)
    if not value and not (may_be_empty and name in step):
        raise NotMapped(f"it has no `{name}`")
    return value


def _asserted(step: Json, where: str) -> list[Json]:
    return objects(step, "assertedEvents", where) if step.get("assertedEvents") else []


def _hints(step: Json) -> str:
    return orjson.dumps(step.get("selectors")).decode().replace("\\", "")


def _shown(step: Json) -> str:
    kept = {key: value for key, value in step.items() if key != "assertedEvents"}
    if "value" in kept and is_secret_field(None, _hints(step)):
        kept["value"] = "***"
    return _json(kept)


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


_STEPS: Final[dict[str, Callable[[_Reader, Json, str], None]]] = {
    "navigate": _Reader.navigate,
    "click": _Reader.click,
    "doubleClick": _Reader.click,
    "hover": _Reader.hover,
    "change": _Reader.change,
    "keyDown": _Reader.key_down,
    "keyUp": _Reader.key_up,
    "scroll": _Reader.scroll,
    "close": _Reader.close,
    "waitForElement": _Reader.wait_for_element,
    "waitForExpression": _Reader.wait_for_expression,
}
_ANYWHERE: Final = frozenset(("setViewport", "emulateNetworkConditions", "keyUp", "customStep"))
