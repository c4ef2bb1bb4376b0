"""MiniWoB++ tasks driven by the Multistep agent through its tools; the model is scripted, the page is real.

Each script does what a model would: it reads the instruction in its prompt and the page in its message,
and asks for one tool at a time. It knows nothing that it was not told.
"""

import re
from collections.abc import Callable, Iterator

import pytest

from support.miniwob import CLOSING, OPENING
from support.model import ModelReply, ModelRequest, ScriptedModel, is_report, ref, scripted_model, tool_call
from support.service import Api, Json, RunningService

SEEDS = (1, 3, 5)


@pytest.fixture(scope="module")
def scripted() -> Iterator[ScriptedModel]:
    with scripted_model() as running:
        yield running


@pytest.fixture(scope="module")
def smart(tmp_path_factory: pytest.TempPathFactory, scripted: ScriptedModel) -> Iterator[Api]:
    running = RunningService(tmp_path_factory.mktemp("agent") / "data", **scripted.env).start()
    yield running.api()
    running.stop()


def steps_done(asked: ModelRequest) -> int:
    return asked.last.split("What is there now")[0].count("→")


def instruction(asked: ModelRequest) -> str:
    return asked.instructions.split("What to achieve:")[1].split("How:")[0].strip()


def quoted(asked: ModelRequest) -> list[str]:
    return re.findall(r'"([^"]+)"', instruction(asked))


def finished() -> ModelReply:
    return tool_call("done", message="Done as asked", result=None)


def one_click(asked: ModelRequest) -> ModelReply:
    """Click on the "..." button."""
    return finished() if steps_done(asked) else tool_call("Mouse", ref=ref(asked, quoted(asked)[0]))


def enter_text(asked: ModelRequest) -> ModelReply:
    """Enter "..." into the text field and press Submit."""
    if steps_done(asked) == 0:
        box = re.search(r"textbox[^\n]*\[ref=(\w+)\]", asked.last)
        assert box is not None
        return tool_call("Input", ref=box[1], value=quoted(asked)[0])
    return tool_call("Mouse", ref=ref(asked, "Submit")) if steps_done(asked) == 1 else finished()


def choose_from_list(asked: ModelRequest) -> ModelReply:
    """Select ... from the list and click Submit."""
    wanted = re.sub(r"Select (.*) from the list.*", r"\1", instruction(asked), flags=re.DOTALL)
    if steps_done(asked) == 0:
        found = re.search(r"combobox[^\n]*\[ref=(\w+)\]", asked.last)
        assert found is not None
        return tool_call("Dropdown", ref=found[1], value=wanted)
    return tool_call("Mouse", ref=ref(asked, "Submit")) if steps_done(asked) == 1 else finished()


def choose_option(asked: ModelRequest) -> ModelReply:
    """Select ... and click Submit, with radio buttons."""
    wanted = re.sub(r"Select (.*) and click Submit.*", r"\1", instruction(asked), flags=re.DOTALL)
    if steps_done(asked) == 0:
        return tool_call("Mouse", ref=ref(asked, wanted))
    return tool_call("Mouse", ref=ref(asked, "Submit")) if steps_done(asked) == 1 else finished()


def tick_boxes(asked: ModelRequest) -> ModelReply:
    """Select a, b, c and click Submit, with checkboxes."""
    wanted = re.sub(r"Select (.*) and click Submit.*", r"\1", instruction(asked), flags=re.DOTALL)
    boxes = [] if wanted == "nothing" else wanted.split(", ")
    done = steps_done(asked)
    if done < len(boxes):
        return tool_call("Input", ref=ref(asked, boxes[done]), value="true")
    return tool_call("Mouse", ref=ref(asked, "Submit")) if done == len(boxes) else finished()


def sign_in(asked: ModelRequest) -> ModelReply:
    """Enter the username "..." and the password "..." and press login."""
    boxes = re.findall(r"textbox[^\n]*\[ref=(\w+)\]", asked.last)
    done = steps_done(asked)
    if done < 2:
        return tool_call("Input", ref=boxes[done], value=quoted(asked)[done])
    return tool_call("Mouse", ref=ref(asked, "Login")) if done == 2 else finished()


def close_dialog(asked: ModelRequest) -> ModelReply:
    """Close the dialog box by its button."""
    return finished() if steps_done(asked) else tool_call("Mouse", ref=ref(asked, "Close"))


def press_it(asked: ModelRequest) -> ModelReply:
    """Click the only button."""
    return finished() if steps_done(asked) else tool_call("Mouse", ref=ref(asked, "Click Me!"))


TASKS: dict[str, Callable[[ModelRequest], ModelReply]] = {
    "click-button": one_click,
    "click-test": press_it,
    "enter-text": enter_text,
    "choose-list": choose_from_list,
    "click-option": choose_option,
    "click-checkboxes": tick_boxes,
    "login-user": sign_in,
    "click-dialog": close_dialog,
}


@pytest.mark.parametrize("task", TASKS)
def test_the_agent_earns_the_full_reward(smart: Api, scripted: ScriptedModel, pages: str, task: str) -> None:
    scripted.script = lambda asked: ModelReply("seen") if is_report(asked) else TASKS[task](asked)
    agent: Json = {
        "type": "Multistep",
        "isCacheable": False,
        "data": {"goal": "{{blocks.query.text}}", "maxSteps": 12, "approval": "never"},
    }
    rounds: Json = {
        "type": "LoopV2",
        "blockReferenceId": "rounds",
        "data": {"over": {"items": "{{params.seeds}}"}, "itemName": "seed"},
        "sequenceData": {"sequence": [*OPENING, agent, *CLOSING]},
    }
    workflow = smart.create(f"agent {task}", rounds)
    params = {"page": f"{pages}/{task}.html", "seeds": list(SEEDS)}
    order = {"workflowId": workflow["id"], "params": params, "timeout": 150}
    execution = smart.call("/workflows/executeSync", order)["execution"]
    assert execution["status"] == "Completed", execution["errorAnalysis"]
    earned = [item["episode"] for item in execution["response"]["rounds"]]
    assert earned == [{"done": True, "reward": 1}] * len(SEEDS)
