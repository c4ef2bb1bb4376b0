"""Run blocks and workflows in tests, through the real walk, with fakes only where the outside begins.

    async with Harness() as harness:
        result = await harness.run({"type": "Wait", "data": {"durationMs": 100}, "blockReferenceId": "nap"})
        assert result.slept_seconds == 0.1

Intake, templates, scope, outputs, events, effects and time limits are the ones of the service, over a real
SQLite database. HTTP, mail, the model and the browser are what the test gives; see `docs/testing-blocks.md`.
"""

from pagehand.testing.fakes import (
    BlankBrowser,
    MemoryFileStore,
    NoModels,
    Outbox,
    ScriptedHttp,
    SentRequest,
    SignInCall,
)
from pagehand.testing.harness import Harness, Seams
from pagehand.testing.run import RunResult
