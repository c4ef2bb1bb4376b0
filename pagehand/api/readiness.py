"""Whether requests can be served, and why not."""

from pagehand.errors import Unavailable


class Readiness:
    """The reason why requests cannot be served yet; a service is ready without one."""

    def __init__(self) -> None:
        self.problem = ""
        """A sentence for callers; empty when requests are served."""

    def check(self) -> None:
        """Raise Unavailable while requests cannot be served."""
        # becomes 503 with Retry-After: load balancers and clients wait instead of failing
        if self.problem:
            raise Unavailable(self.problem)
