"""Which fields of a model are templates: all, except those marked `NotATemplate`."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, get_args, get_origin

from pydantic.fields import FieldInfo

from pagehand.records import Json, is_array, is_object
from pagehand.workflow import templates
from pagehand.workflow.wire import NotATemplate, WireModel


def fill_in(model: type[WireModel], given: Json, names: Mapping[str, Any]) -> Json:
    """`given` with its templates filled in and its marked fields as they were."""
    return _mapped(model, given, lambda value: templates.resolve(value, names), into_marked=False)


def check_templates(model: type[WireModel], given: Json) -> None:
    """Refuse a template that is not a path, also in conditions, which are filled in when they are judged."""
    _mapped(model, given, _checked, into_marked=True)


def _checked(value: Any) -> Any:
    templates.check(value)
    return value


_Change = Callable[[Any], Any]


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
