"""The settings of the installation that concern its users, and the report of `pagehand doctor`."""

from importlib.metadata import version
from typing import Annotated

from msgspec import Meta

from pagehand.api.fields import Answer, EmptyRequest, View
from pagehand.api.machine import machine_report
from pagehand.api.operation import Call, Result, operation


class InstallationView(View):
    """What holds for every organization of this service."""

    version: str
    model: Annotated[str | None, Meta(description="The language model; null where none is set.")]
    keep_days: Annotated[float | None, Meta(description="How long finished executions stay; null: for good.")]
    max_queued: int
    max_per_minute: Annotated[
        int, Meta(description="Executions one organization may start within any minute; 0: any number.")
    ]
    max_paused: int
    max_tabs: int
    max_stored_bytes: Annotated[int | None, Meta(description="Per organization; null: no limit.")]
    max_output_bytes: int
    checks: Annotated[list[str], Meta(description="What `pagehand doctor` says, line by line.")]


InstallationAnswer = Answer("InstallationAnswer", "installation", InstallationView, "The installation.")


@operation("/installation/get", scope="admin", request=EmptyRequest, response=InstallationAnswer, example={})
async def get(call: Call[EmptyRequest]) -> Result:
    """How the service is set up; changed by its operator, with settings."""
    settings = call.services.settings
    return InstallationAnswer(
        InstallationView(
            version=version("pagehand"),
            model=settings.model,
            keep_days=settings.keep_days,
            max_queued=settings.max_queued,
            max_per_minute=settings.max_per_minute,
            max_paused=settings.max_paused,
            max_tabs=settings.max_tabs,
            max_stored_bytes=settings.max_stored_bytes,
            max_output_bytes=settings.max_output_bytes,
            # for administrators only: it names paths of the machine
            checks=await machine_report(settings),
        )
    )
