"""The demo workflow is one the language accepts."""

from pagehand.blocks import kinds
from pagehand.demo import demo_workflow
from pagehand.workflow.parse import parse_blocks


def test_every_block_of_the_demo_is_valid() -> None:
    body = demo_workflow("http://127.0.0.1:8701", "login_1")
    blocks = parse_blocks(body["blocks"], kinds())

    references = [block.block_reference_id for top in blocks for block in top.walk()]
    assert references[:2] == ["sign_in", "open_claims"]
    assert references[-1] == "csv"
