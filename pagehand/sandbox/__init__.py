"""Where the untrusted is kept in: user code in its workers, traffic behind a policy."""

from pagehand.sandbox.egress import Allowed, Denied, EgressPolicy, EgressRefused, HostUnknown
from pagehand.sandbox.http import HttpAnswer, HttpClient
from pagehand.sandbox.mail import MailServer
from pagehand.sandbox.program import AVAILABLE_MODULES, check_syntax
from pagehand.sandbox.proxies import Proxies
from pagehand.sandbox.proxy import READY_URL, EgressProxy, ProxyAccess
from pagehand.sandbox.python import PythonSandbox
from pagehand.sandbox.reach import OUTSIDE
from pagehand.sandbox.upstream import Upstream

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
