"""The steps, oldest first. A new one is a function `step_NNNN` in the newest module; `HEAD` is its number."""

from collections.abc import Callable

from pagehand.storage.migrations.versions import first_tables, from_0017, to_0016

STEPS: dict[str, Callable[[], None]] = {
    name.removeprefix("step_"): step
    for module in (first_tables, to_0016, from_0017)
    for name, step in vars(module).items()
    if name.startswith("step_")
}
