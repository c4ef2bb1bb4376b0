"""The console's types are those of the API the service serves, and the console holds to them."""

from pathlib import Path

import pytest

from support.console import run_build
from support.service import RunningService


@pytest.mark.slow
def test_console_agrees_with_the_served_api(service: RunningService, tmp_path: Path) -> None:
    document = tmp_path / "openapi.json"
    document.write_bytes(service.api().http.get("/openapi.json").content)

    run_build("--check", "--openapi", str(document))

    assert "paths" in Path("console/src/api/schema.ts").read_text("utf-8")
