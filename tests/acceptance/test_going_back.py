"""Going back and loading again by chat's blocks: the next block meets the page that then is there."""

import pytest

from support.blocks import navigate
from support.service import Api, Json
from support.site import Site


def script(code: str) -> Json:
    return {"type": "CodeV2", "data": {"language": "javascript", "code": code}}


READ: Json = {
    "type": "Extract",
    "blockReferenceId": "seen",
    "data": {"fields": {"title": {"locator": {"css": "h1"}}}},
}


@pytest.mark.slow
@pytest.mark.parametrize("code", ["history.back()", "location.href = '/first'", "document.forms[0].submit()"])
def test_what_follows_a_script_that_leaves_the_page_meets_the_new_one(
    api: Api, site: Site, code: str
) -> None:
    site.page("/first", "<h1>First</h1>", delay=0.5)
    site.page("/second", "<h1>Second</h1><form action=/first>")
    done = api.run(
        navigate(f"{site.url}/first"), navigate(f"{site.url}/second", "second"), script(code), READ
    )
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert done["response"]["seen"]["title"] == "First"
