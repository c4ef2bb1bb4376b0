"""Whether requests can be served, and why not."""

from pagehand.errors import Unavailable


class Readiness:
    """Says what a service waits for while it starts; a service is ready unless somebody says otherwise."""

    def __init__(self) -> None:
        self.problem = ""
        """A sentence for people; empty when requests are served."""

    def check(self) -> None:
        """Refuse a request that cannot be served yet."""
        # 503 with Retry-After: load balancers and clients wait instead of failing
        if self.problem:
            raise Unavailable(self.problem)
