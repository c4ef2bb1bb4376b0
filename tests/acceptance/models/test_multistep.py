"""An agent works on a page: a scripted model, and everything else real."""

from support.blocks import navigate
from support.model import Asked, Says, ScriptedModel, call, is_report, ref
from support.service import Api, Json
from support.site import Site

PAGE = """<!doctype html><title>Shop</title><h1>Find a product</h1>
<label>Search <input id=q></label> <button onclick="show()">Find</button>
<table hidden><caption>Products</caption><tr><th>Product<th>Price<tr><td id=name><td>12.50</table>
<script>function show() {
  document.querySelector('table').hidden = false;
  document.querySelector('#name').textContent = document.querySelector('#q').value; }</script>"""
SCHEMA: Json = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"product": {"type": "string"}, "price": {"type": "number"}},
        "required": ["product", "price"],
    },
}


def buyer(asked: Asked) -> Says:
    """Types a lamp, finds it, reads the table."""
    if is_report(asked):
        return Says("The model has seen it.")
    if "table" in asked.last:
        return call("done", message="Found it", result=[{"product": "Lamp", "price": 12.5}])
    if "Input" in asked.last:
        return call("Mouse", ref=ref(asked, "Find"))
    return call("Input", ref=ref(asked, "Search"), value="Lamp")


def multistep(**data: object) -> Json:
    return {"type": "Multistep", "blockReferenceId": "agent", "data": data}


def test_the_agent_reaches_its_goal_with_page_blocks(smart: Api, model: ScriptedModel, site: Site) -> None:
    site.page("/", PAGE)
    model.script = buyer
    goal = "Search for {{params.what}} and read the products"
    execution = smart.run(
        navigate(site.url + "/"), multistep(goal=goal, schema=SCHEMA), params={"what": "Lamp"}
    )
    assert execution["errorAnalysis"] == ""
    assert execution["response"]["agent"] == [{"product": "Lamp", "price": 12.5}]
    assert execution["metadata"]["modelUsage"]["calls"] == 4
