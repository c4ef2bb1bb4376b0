"""A client of the service: `Pagehand` waits for answers, `AsyncPagehand` has the same methods to await.

    from pagehand.client import Pagehand

    with Pagehand("http://127.0.0.1:8700") as pagehand:
        execution = pagehand.run("Headline", url="https://example.com")
        print(execution.response)

Nothing else of Pagehand is imported: it works where no browser and no database is installed.
"""

from pagehand.client.drivers import AsyncDriver, Driver
from pagehand.client.executions import AsyncExecution, AsyncFile, Execution, File, Runs
from pagehand.client.operations import Operations
from pagehand.client.plans import ApiError, ExecutionFailed, Unreachable


class Pagehand(Driver, Operations, Runs):
    """A service; `PAGEHAND_URL` and `PAGEHAND_KEY` say which, where nothing is given."""


class AsyncPagehand(AsyncDriver, Operations, Runs):
    """The same for asyncio: its methods are awaited."""
