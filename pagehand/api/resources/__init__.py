"""One module per noun; each lists its operations in `OPERATIONS`."""

from pagehand.api.operation import Operation
from pagehand.api.resources import (
    authentication,
    batches,
    blocks,
    browser_sessions,
    cache,
    executions,
    files,
    keys,
    knowledge,
    login_tests,
    logins,
    proposals,
    runs,
    service,
    tags,
    threads,
    webhooks,
    workflows,
)

OPERATIONS: tuple[Operation, ...] = (
    *runs.OPERATIONS,
    *executions.OPERATIONS,
    *workflows.OPERATIONS,
    *blocks.OPERATIONS,
    *cache.OPERATIONS,
    *proposals.OPERATIONS,
    *batches.OPERATIONS,
    *tags.OPERATIONS,
    *logins.OPERATIONS,
    *login_tests.OPERATIONS,
    *authentication.OPERATIONS,
    *browser_sessions.OPERATIONS,
    *threads.OPERATIONS,
    *files.OPERATIONS,
    *webhooks.OPERATIONS,
    *knowledge.OPERATIONS,
    *keys.OPERATIONS,
    *service.OPERATIONS,
)
