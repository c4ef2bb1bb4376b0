"""The caller's organization and the settings for all of its executions."""

from typing import Annotated

from msgspec import Meta

from pagehand.api.fields import Answer, EmptyRequest, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.services import ApiServices
from pagehand.errors import NotFound

ProxyAddress = Annotated[
    str,
    Meta(
        max_length=2000,
        description="`http://user:password@host:port`, `https://…` or `socks5://…`; empty takes it away.",
    ),
]


class OrganizationView(View):
    """An organization."""

    id: str
    name: str
    proxy: Annotated[
        str | None, Meta(description="Its own proxy for executions with `useProxy`, the password masked.")
    ]


OrganizationAnswer = Answer(
    "OrganizationAnswer", "organization", OrganizationView, "The caller's own organization."
)


class UpdateOrganization(Request):
    """What to change; what is left out stays."""

    proxy: ProxyAddress | None = None


@operation("/organization/get", scope="read", response=OrganizationAnswer)
async def get(call: Call[EmptyRequest]) -> Result:
    """The organization the caller belongs to."""
    return await _answer(call.services, call.organization_id)


@operation(
    "/organization/update",
    scope="admin",
    response=OrganizationAnswer,
    example={"proxy": "socks5://me:password@proxy.example.com:1080"},
)
async def update(call: Call[UpdateOrganization]) -> Result:
    """Set the organization's proxy; executions with `useProxy` go through it from then on."""
    if call.request.proxy is not None:
        # it checks the address and encrypts it, because it may hold a password
        await call.services.proxies.set_url(call.organization_id, call.request.proxy.strip())
    return await _answer(call.services, call.organization_id)


async def _answer(services: ApiServices, organization_id: str) -> View:
    organization = await services.stores.organizations.get(organization_id)
    if organization is None:
        raise NotFound("The organization of this key does not exist any more")
    proxy = await services.proxies.masked_url(organization_id)
    return OrganizationAnswer(OrganizationView(id=organization.id, name=organization.name, proxy=proxy))
