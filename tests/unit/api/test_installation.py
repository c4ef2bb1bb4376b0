"""How the service is set up, for those who administer it, and the organization's figures."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio


async def test_installation_shows_its_limits_and_the_report_of_doctor(api: "Api") -> None:
    api.services.settings.max_per_minute = 120
    found = (await api.post("/installation/get")).json()["installation"]

    assert found["maxQueued"] == api.services.settings.max_queued
    assert found["maxPerMinute"] == 120
    assert found["keepDays"] == api.services.settings.keep_days
    assert any(line.startswith("SQLite") for line in found["checks"])


async def test_installation_is_for_administrators(api: "Api") -> None:
    key = await api.create_key("one", ["read", "run", "edit"])

    answer = await api.post("/installation/get", authorization=f"Bearer {key}")

    assert answer.status_code == 403


async def test_new_organization_has_figures_of_nothing(api: "Api") -> None:
    found = (await api.post("/statistics/get", {"days": 2})).json()["statistics"]

    assert [(day["completed"], day["failed"], day["other"]) for day in found.pop("days")] == [(0, 0, 0)] * 2
    assert found == {
        "running": 0,
        "waiting": 0,
        "enqueued": 0,
        "failedLastDay": 0,
        "workflows": [],
        "healed": 0,
        "failures": [],
    }


@pytest.mark.parametrize("days", [0, 91, "3"])
async def test_days_beyond_the_range_are_refused(api: "Api", days: object) -> None:
    assert (await api.post("/statistics/get", {"days": days})).status_code == 400


async def test_demo_is_null_unless_one_is_served(api: "Api") -> None:
    assert (await api.post("/demo/get")).json() == {"demo": None}
    assert (await api.post("/demo/break", {"isBroken": True})).status_code == 404
