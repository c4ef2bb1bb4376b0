"""Methods that are written once for both clients: one returns their result, the other is awaited."""

from collections.abc import Callable, Coroutine
from functools import update_wrapper
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from pagehand.client import plans
from pagehand.client.drivers import AsyncDriver, Driver
from pagehand.client.plans import Plan

P = ParamSpec("P")
T = TypeVar("T")


class Method(Generic[P, T]):
    """What `client.method` is, by the client that it is asked of."""

    def __init__(self, plan: Callable[..., Plan[T]], described: Callable[..., Any]) -> None:
        """`plan` makes the plan from the client and the arguments; `described` has name and docstring."""
        self._plan = plan
        self._described = described

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(self, client: Driver, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: AsyncDriver, owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: Any, owner: type) -> Any:
        """The method of a client; of the class, this."""
        if client is None:
            return self

        def method(*given: Any, **named: Any) -> Any:
            return client.drive(self._plan(client, *given, **named))

        return update_wrapper(method, self._described)


def planned(make: Callable[Concatenate[Any, P], Plan[T]]) -> Method[P, T]:
    """A method that returns its plan."""
    return Method(make, make)


def operation(path: str, **wire_names: str) -> Callable[[Callable[Concatenate[Any, P], T]], Method[P, T]]:
    """A method that posts its keywords to `path`; `wire_names` are of those that are not its camelCase."""

    def make(described: Callable[Concatenate[Any, P], T]) -> Method[P, T]:
        def plan(_: Any, /, **fields: Any) -> Plan[Any]:
            return plans.call(path, _as_body(fields, wire_names))

        return Method(plan, described)

    return make


def download(path: str) -> Callable[[Callable[Concatenate[Any, P], Path]], Method[P, Path]]:
    """A method that posts its keywords to `path` and writes the answer, a file, to `to`."""

    def make(described: Callable[Concatenate[Any, P], Path]) -> Method[P, Path]:
        def plan(_: Any, /, to: str | Path, **fields: Any) -> Plan[Path]:
            return plans.download(path, to, _as_body(fields, {}))

        return Method(plan, described)

    return make


def _as_body(fields: dict[str, Any], wire_names: dict[str, str]) -> plans.Json:
    return {wire_names.get(name) or _camel(name): value for name, value in fields.items()}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
