"""All kinds of blocks: those of the modules in this package."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any, Final

from pagehand.blocks.base import Block
from pagehand.errors import OurFault
from pagehand.records import Json
from pagehand.workflow.recorded import RecordedAct
from pagehand.workflow.refusals import nearest

ENTRY_POINTS: Final = "pagehand.blocks"
"""Packages outside name their block modules under this entry point."""
_LONGEST_NAME: Final = 100


class Registry:
    """The kinds, by type and by display name."""

    def __init__(self, kinds: Iterable[type[Block]]) -> None:
        self._by_type: dict[str, type[Block]] = {}
        self._by_name: dict[str, type[Block]] = {}
        for kind in kinds:
            self._add(kind)

    def kind_named(self, type_or_title: str) -> type[Block] | None:
        """The kind of that type or display name."""
        return self._by_name.get(type_or_title)

    def nearest(self, name: str) -> type[Block] | None:
        """The kind that was probably meant by a name that no kind has: by its spelling or its purpose."""
        called = {word: kind for kind in self for word in kind.also_called}
        meant = nearest(name, {**called, **self._by_name})
        return self._by_name.get(meant) or called[meant] if meant is not None else None

    def parse(self, type_name: str, resolved: Json) -> Block:
        """The block to run, from data whose templates are filled in; `BlockFailed` names what is wrong."""
        return self[type_name].parse(resolved)

    def clearing_overlay(self) -> Mapping[str, Any] | None:
        """A block that closes what lies over the page; None when no kind does."""
        kind = next((kind for kind in self if kind.clears_overlay), None)
        return {"type": kind.type, "data": {}} if kind is not None else None

    def signing_in(self) -> Mapping[str, Any] | None:
        """A block that signs in again with the execution's own login; None when no kind does."""
        declared = ((kind.type, kind.fresh_sign_in) for kind in self)
        return next(({"type": name, "data": dict(data)} for name, data in declared if data is not None), None)

    def recorded(self, act: RecordedAct) -> Json:
        """The definition of a block that does again what a person did."""
        kind = next((kind for kind in self if act.kind in kind.recorded_as), None)
        if kind is None:
            raise OurFault(f"No block kind declares `{act.kind}` in `recorded_as`.")
        made = kind.recorded_as[act.kind]
        definition: Json = {
            "type": kind.type,
            "name": f"{made.begins} {_shown_name(act)}".strip()[:_LONGEST_NAME],
            "data": made.data(act),
        }
        if act.locator is not None:
            definition["locator"] = act.locator.as_given()
        if act.signs_in:
            definition["skipIfNotPresent"] = True
        return definition

    def __getitem__(self, type_name: str) -> type[Block]:
        kind = self._by_type.get(type_name)
        if kind is None:
            raise OurFault(f"A stored block has the type `{type_name}`, which is no longer known.")
        return kind

    def __iter__(self) -> Iterator[type[Block]]:
        return iter(self._by_type.values())

    def __len__(self) -> int:
        return len(self._by_type)

    def _add(self, kind: type[Block]) -> None:
        for name in {kind.type, kind.title}:
            if (other := self._by_name.get(name)) is not None:
                raise OurFault(
                    f"Two block kinds are called `{name}`: {_where(other)} and {_where(kind)}; rename one."
                )
            self._by_name[name] = kind
        self._by_type[kind.type] = kind


def discover(package: ModuleType) -> Iterator[type[Block]]:
    """The kinds of a package's modules, then those of packages outside."""
    for module in _modules(package):
        yield from kinds_in(module)
    for entry in entry_points(group=ENTRY_POINTS):
        loaded = entry.load()
        yield from kinds_in(loaded) if isinstance(loaded, ModuleType) else [loaded]


def kinds_in(module: ModuleType) -> Iterator[type[Block]]:
    """The kinds a module defines: classes written there that set `type`."""
    for member in vars(module).values():
        if not (inspect.isclass(member) and issubclass(member, Block)):
            continue
        # modules import each other's classes, and bases such as CommittingBlock have no type
        if member.__module__ == module.__name__ and "type" in vars(member):
            yield member


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        try:
            module = importlib.import_module(found.name)
        except ImportError as error:
            # the import error alone names the missing module, not the kind that wanted it
            error.add_note(f"The block module `{found.name}` cannot be loaded.")
            raise
        yield module
        if found.ispkg:
            yield from _modules(module)


def _where(kind: type[Block]) -> str:
    return f"`{kind.__module__}.{kind.__qualname__}`"


def _shown_name(act: RecordedAct) -> str:
    """What its element is called, or else the words it is found by; a label often ends like `Title:`."""
    words = act.locator.words if act.locator is not None else None
    return act.name.rstrip(" :*") or (words or "").replace(": ", " ")
