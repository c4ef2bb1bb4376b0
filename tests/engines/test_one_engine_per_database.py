"""A service that runs everything alone and workers that share do not run on one database."""

from pathlib import Path

import pytest

from pagehand.errors import Conflict
from support.engines import shared_services, single_service

pytestmark = pytest.mark.anyio


@pytest.mark.slow
async def test_a_lone_service_does_not_start_beside_workers(database: str, tmp_path: Path) -> None:
    async with shared_services(database, tmp_path) as fleet:
        await fleet.worker()
        with pytest.raises(Conflict, match="PAGEHAND_ENGINE=postgres"):
            async with single_service(tmp_path / "alone", database=database):
                pass


async def test_a_node_does_not_start_beside_a_lone_service(database: str, tmp_path: Path) -> None:
    async with single_service(tmp_path / "alone", database=database):
        with pytest.raises(Conflict, match="runs this database's executions alone"):
            async with shared_services(database, tmp_path):
                pass
