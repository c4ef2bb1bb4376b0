r"""Templates: `{{params.name}}` inside any text. Paths only, filled in once, never evaluated.

`\{{` is a literal `{{`. A text that is one template alone keeps its value's type; within other text numbers,
booleans, arrays and objects become JSON text and null becomes nothing.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Final, cast, get_args, get_origin

from pydantic.fields import FieldInfo

from pagehand.errors import InvalidRequest, LimitReached, WorkflowError
from pagehand.records import Json, is_array, is_object
from pagehand.workflow.json_values import made_storable
from pagehand.workflow.wire import NotATemplate, WireModel

PATTERN: Final = r"\{\{\s*[A-Za-z_][\w-]*(?:\.[\w@$-]+(?: [\w@$-]+)*)*\s*\}\}"
"""One template, as a regular expression that JSON Schema understands too."""
MOST_BYTES: Final = 100 * 1024 * 1024
"""How much the templates of one block may fill in."""
# possessive, which JSON Schema does not know: what is not a template would be gone through twice
_QUICK: Final = re.sub(r"(?<=[])s])[+*]", r"\g<0>+", PATTERN)
TEMPLATE: Final = re.compile(_QUICK)
"""One template, to look for in text."""
# the escape comes first: in `\{{x}}` nothing is a template
_PIECE = re.compile(r"\\\{\{|" + _QUICK + r"|\{\{")
_LISTED: Final = 20
_SHOWN: Final = 60
_Change = Callable[[Any], Any]


def is_template(text: Any) -> bool:
    """True for a text that is one template and nothing else."""
    return isinstance(text, str) and TEMPLATE.fullmatch(text) is not None


def check(value: Any) -> None:
    """Refuse text in which `{{` begins anything but a path; `value` may be nested."""
    for text in _texts(value):
        for piece in _PIECE.finditer(text):
            # braces that belong to no path: text such as `{{7*7}}` is refused, never left or evaluated
            if piece[0] == "{{":
                raise InvalidRequest(_no_path(text, piece.start()))


def resolve(value: Any, names: Mapping[str, Any], *, most_bytes: int = MOST_BYTES) -> Any:
    """Fill in every template of `value`, which may be nested; what is filled in is not looked at again.

    Raises LimitReached when the same large values are filled in again and again.
    """
    return _Filling(names, most_bytes).resolve(value)


class _Filling:
    """One call of `resolve`; counts how much the value grows."""

    def __init__(self, names: Mapping[str, Any], most_bytes: int) -> None:
        self._names = names
        self._most_bytes = most_bytes
        self._filled = 0
        self._sizes: dict[int, int] = {}

    def resolve(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._resolve_text(value) if "{{" in value else value
        if is_array(value):
            return [self.resolve(item) for item in value]
        if is_object(value):
            return {key: self.resolve(item) for key, item in value.items()}
        return value

    def _resolve_text(self, text: str) -> Any:
        # the type is kept only here: within other text there is nothing but text
        if is_template(text):
            found = _look_up(text[2:-2].strip(), self._names)
            self._count_repeat(found)
            return found
        return _PIECE.sub(lambda piece: self._filled_in(piece, text), text)

    def _filled_in(self, piece: re.Match[str], text: str) -> str:
        if piece[0] == "\\{{":
            return "{{"
        if piece[0] == "{{":
            raise WorkflowError(_no_path(text, piece.start()))
        filled = as_text(_look_up(piece[0][2:-2].strip(), self._names))
        self._count(len(filled))
        return filled

    def _count_repeat(self, found: Any) -> None:
        """Count a value that is filled in whole; the first time it only lends itself."""
        if isinstance(found, dict | list):
            size = self._sizes.get(id(cast("object", found)))
            if size is None:
                size = 0
            elif size == 0:
                size = made_storable(found, most_bytes=self._most_bytes)[1]
            self._sizes[id(cast("object", found))] = size
            self._count(size)
        elif isinstance(found, str):
            self._count(len(found))

    def _count(self, size: int) -> None:
        self._filled += size
        if self._filled > self._most_bytes:
            raise LimitReached(
                f"The templates of one block fill in more than {self._most_bytes:,} bytes, the limit. "
                "Use the same large value less often."
            )


def plain(value: Any) -> Any:
    """`value` as dicts and lists alone: what a sandbox or JSON can take."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [plain(item) for item in cast("Sequence[Any]", value)]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in cast(Mapping[Any, Any], value).items()}
    return str(value)


def as_text(value: Any) -> str:
    """A value as it reads within other text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if "{{" in value:
            yield value
    elif is_array(value):
        for item in value:
            yield from _texts(item)
    elif is_object(value):
        for item in value.values():
            yield from _texts(item)


def _look_up(path: str, names: Mapping[str, Any]) -> Any:
    """Follow a path through keys and list positions; attributes of objects are never touched."""
    value: Any = names
    done = ""
    # never getattr: a path must not reach anything that the data itself does not hold
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = cast(Mapping[str, Any], value)[part]
        elif is_array(value) and _is_position(part) and int(part) < len(value):
            value = value[int(part)]
        else:
            raise WorkflowError(_no_such_name(path, part, done, value))
        done = f"{done}.{part}" if done else part
    return value


def _is_position(part: str) -> bool:
    return part.isascii() and part.isdigit() and len(part) <= 9  # noqa: PLR2004 - no list is longer; huge digits cost time


def _no_such_name(path: str, part: str, done: str, value: Any) -> str:
    start = f"`{{{{{_short(path)}}}}}`: there is no `{_short(part)}`" + (
        f" in `{_short(done)}`" if done else ""
    )
    if isinstance(value, Mapping):
        known = sorted(str(key) for key in cast(Mapping[Any, Any], value))
        more = ", …" if len(known) > _LISTED else ""
        listed = ", ".join(f"`{key}`" for key in known[:_LISTED]) + more
        return f"{start}; there is {listed or 'nothing in it'}."
    if is_array(value):
        return f"{start}; it is a list of {len(value)}, whose positions count from 0."
    kind = "null (a block that has not run has the output null)" if value is None else "a single value"
    return f"{start}; it is {kind}."


def _no_path(text: str, start: int) -> str:
    return (
        f"`{_short(text[start:])}` is not a template: between `{{{{` and `}}}}` only paths are allowed, "
        "such as `params.name` or `blocks.table.0.price`; write `\\{{` for a literal `{{`."
    )


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def fill_in(model: type[WireModel], given: Json, names: Mapping[str, Any]) -> Json:
    """`given` with its templates filled in and its marked fields as they were."""
    return _mapped(model, given, lambda value: resolve(value, names), into_marked=False)


def check_templates(model: type[WireModel], given: Json) -> None:
    """Refuse a template that is not a path, also in conditions, which are filled in when they are judged."""
    _mapped(model, given, _checked, into_marked=True)


def _checked(value: Any) -> Any:
    check(value)
    return value


def _mapped(model: type[WireModel], given: Json, change: _Change, *, into_marked: bool) -> Json:
    fields = _fields(model)
    result: Json = {}
    for key, value in given.items():
        is_marked, inner = fields.get(key, (False, ()))
        # code and expressions stay as written; a condition that is an object has templates of its own
        if is_marked and not (into_marked and is_object(value)):
            result[key] = value
        else:
            result[key] = _mapped_value(value, inner, change, into_marked=into_marked)
    return result


def _mapped_value(
    value: Any, inner: tuple[type[WireModel], ...], change: _Change, *, into_marked: bool
) -> Any:
    if inner and is_array(value):
        return [_mapped_value(item, inner, change, into_marked=into_marked) for item in value]
    if not inner or not is_object(value):
        return change(value)
    for model in inner:
        if value.keys() <= _fields(model).keys():
            return _mapped(model, value, change, into_marked=into_marked)
    return {key: _mapped_value(item, inner, change, into_marked=into_marked) for key, item in value.items()}


@cache
def _fields(model: type[WireModel]) -> dict[str, tuple[bool, tuple[type[WireModel], ...]]]:
    """By wire name: is it marked, and which models below it have marked fields of their own."""
    found: dict[str, tuple[bool, tuple[type[WireModel], ...]]] = {}
    for name, field in model.model_fields.items():
        models = models_of(field)
        marked = is_marked(field)
        inner = tuple(model for model in models if marked or _has_marked(model))
        found[field.alias or name] = (marked, inner)
    return found


def is_marked(field: FieldInfo) -> bool:
    """True for a field that is left as written."""
    return any(isinstance(part, NotATemplate) for part in (*field.metadata, *_parts(field.annotation)))


def models_of(field: FieldInfo) -> list[type[WireModel]]:
    """The models that may stand in a field."""
    return [
        part for part in _parts(field.annotation) if isinstance(part, type) and issubclass(part, WireModel)
    ]


def _has_marked(model: type[WireModel]) -> bool:
    return any(marked or inner for marked, inner in _fields(model).values())


def _parts(annotation: Any) -> Iterator[Any]:
    """An annotation taken apart: its types and the marks on them."""
    yield annotation
    if get_origin(annotation) is Annotated:
        yield from annotation.__metadata__
    for argument in get_args(annotation):
        yield from _parts(argument)
