"""From a message to blocks: the grammar first, the model where it refuses, one mending, never a guess."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pagehand.ai.model import prompt
from pagehand.blocks import kinds
from pagehand.blocks.schema import catalog
from pagehand.errors import InvalidRequest
from pagehand.instructions.chat import Chat, ChatContext
from pagehand.instructions.grammar import Grammar
from pagehand.instructions.outline import describe_blocks
from pagehand.records import Json
from pagehand.workflow.parse import parse_blocks

pytestmark = pytest.mark.anyio

FREE = "Buy the cheapest lamp"
CLICK: Json = {"type": "Mouse", "locator": {"text": "Buy"}, "data": {"action": "click"}}


class ScriptedModel:
    """Gives its answers in turn and remembers what it was asked."""

    def __init__(self, *answers: Json) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    def prompt(self, name: str, /, **words: str) -> str:
        return prompt(name, **words)

    async def data(self, instructions: str, material: str, schema: Mapping[str, Any], /) -> Any:
        assert schema["type"] == "object"
        self.asked.append(f"{instructions}\n{material}")
        return self._answers.pop(0)


@pytest.fixture
def chat() -> Chat:
    return Chat(kinds(), Grammar(kinds()), lambda: catalog(kinds()))


async def test_what_the_grammar_understands_makes_no_model_call(chat: Chat) -> None:
    model = ScriptedModel()
    [block] = await chat.blocks("Wait 2 seconds", ChatContext(), model)
    assert (block.type, block.data, model.asked) == ("Wait", {"durationMs": 2000}, [])


async def test_without_a_model_a_refusal_says_which_words_and_what_to_set(chat: Chat) -> None:
    with pytest.raises(InvalidRequest, match=r"`Buy the cheapest lamp`.*PAGEHAND_MODEL"):
        await chat.blocks(FREE, ChatContext(), None)


async def test_the_model_is_sent_the_kinds_the_parameters_and_what_was_seen(chat: Chat) -> None:
    model = ScriptedModel({"blocks": [CLICK]})
    about = ChatContext(parameters=["colour"], material="button `Buy`")
    [block] = await chat.blocks(FREE, about, model)
    assert block.locator == {"text": "Buy", "strict": True}
    [asked] = model.asked
    for shown in (FREE, "colour", "button `Buy`", *(f"`{kind.type}`" for kind in kinds())):
        assert shown in asked


@pytest.mark.parametrize(
    "wrong",
    [{"type": "Fly", "data": {}}, {"type": "Mouse", "data": {"action": "lick"}}, {"type": "If", "data": {}}],
)
async def test_blocks_that_do_not_fit_are_mended_once(chat: Chat, wrong: Json) -> None:
    model = ScriptedModel({"blocks": [wrong]}, {"blocks": [CLICK]})
    [block] = await chat.blocks(FREE, ChatContext(), model)
    assert block.type == "Mouse"
    assert "last answer was refused" not in model.asked[0]
    assert "last answer was refused" in model.asked[1]


async def test_blocks_that_never_fit_are_refused(chat: Chat) -> None:
    wrong: Json = {"blocks": [{"type": "Fly", "data": {}}]}
    with pytest.raises(InvalidRequest, match="Fly"):
        await chat.blocks(FREE, ChatContext(), ScriptedModel(wrong, wrong))


async def test_a_model_that_gives_no_blocks_gives_its_reason(chat: Chat) -> None:
    with pytest.raises(InvalidRequest, match="nothing is for sale"):
        await chat.blocks(
            FREE, ChatContext(), ScriptedModel({"blocks": [], "refusal": "nothing is for sale"})
        )


async def test_references_keep_clear_of_the_blocks_already_there(chat: Chat) -> None:
    present = parse_blocks([{"type": "Wait", "data": {}}], kinds())
    blocks = await chat.blocks("Wait 1 second. Wait 2 seconds.", ChatContext(existing=present), None)
    taken: Sequence[str] = [item.block_reference_id for item in (*present, *blocks)]
    assert len(set(taken)) == 3


async def test_blocks_in_words_show_what_they_do_but_no_password(chat: Chat) -> None:
    message = 'If "Log in" is shown, type hunter2 into the Password field and click it'
    shown = describe_blocks(await chat.blocks(message, ChatContext(), None), kinds())
    assert shown.startswith("One block:\n1. If: ")
    assert "if so:" in shown
    assert "Password" in shown
    assert "hunter2" not in shown
