"""Where the untrusted is kept in: user code in its workers, traffic behind a policy."""

from pagehand.egress.http import HttpAnswer, HttpClient
from pagehand.egress.policy import Allowed, Denied, EgressPolicy, EgressRefused, HostUnknown
from pagehand.egress.proxy.server import READY_URL, EgressProxy, ProxyAccess
from pagehand.egress.smtp import MailServer
from pagehand.egress.temporary_reach import OUTSIDE
from pagehand.egress.upstream import Upstream
from pagehand.egress.upstream_proxies import Proxies
from pagehand.sandbox.program import AVAILABLE_MODULES, check_syntax
from pagehand.sandbox.python import PythonSandbox

__all__ = [
    "AVAILABLE_MODULES",
    "OUTSIDE",
    "READY_URL",
    "Allowed",
    "Denied",
    "EgressPolicy",
    "EgressProxy",
    "EgressRefused",
    "HostUnknown",
    "HttpAnswer",
    "HttpClient",
    "MailServer",
    "Proxies",
    "ProxyAccess",
    "PythonSandbox",
    "Upstream",
    "check_syntax",
]
