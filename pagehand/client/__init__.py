"""A client of the service: `Pagehand` waits for answers, `AsyncPagehand` has the same methods to await.

    from pagehand.client import Pagehand

    with Pagehand("http://127.0.0.1:8700") as pagehand:
        execution = pagehand.run("Headline", url="https://example.com")
        print(execution.response)

Nothing else of Pagehand is imported: it works where no browser and no database is installed.
"""

from pagehand.client.asynchronous import AsyncExecution, AsyncFile, AsyncPagehand
from pagehand.client.errors import ApiError, ExecutionFailed, Unreachable
from pagehand.client.synchronous import Execution, File, Pagehand
