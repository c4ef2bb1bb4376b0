"""Is what `pagehand look` says of a new release what a run then meets?

    python benchmarks/looking.py [--targets 6] [--only WORDS] [--tell]

A workflow hovers over controls of applications and front ends by other people, each found by its id, or else
by what the recorder would write. It is run and looked at in one release. Then the next release answers at the
same addresses: the workflow is looked at there, and run after that. The page says on which element the mouse
was, and `healing_pages/releases.py`, which knows nothing of the healer, which one it should have been.

A false alarm is a control that was said to break, or to be healed, which the run found without either. A
missed one was said to be there, or to be healed, and the run failed or rested on another element.
"""

import argparse
import asyncio
import random
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from healing_pages.releases import changed_controls, gone_controls, in_page, same_controls
from healing_pages.subjects import SUBJECTS, Subject
from playwright.async_api import Browser, ElementHandle, Page, Route, async_playwright
from playwright.async_api import Error as PlaywrightError

from measuring import running
from measuring.report import Figure, publish
from pagehand.browser.healing.stable_locator import stable_locator
from pagehand.client import AsyncPagehand, ExecutionFailed

Json = dict[str, Any]
_PASSWORD: Final = "correct horse battery"  # noqa: S105 - of the applications that the tests start
_HOVER_MS: Final = 4000
_STATUSES: Final = ("asBefore", "moved", "wouldHeal", "wouldBreak", "notSeen")
# the path of the innermost element under the mouse
_UNDER_THE_MOUSE: Final = """
let at = [...document.querySelectorAll(':hover')].pop();
const path = [];
for (; at && at.parentElement; at = at.parentElement) {
  path.unshift(`*:nth-child(${[...at.parentElement.children].indexOf(at) + 1})`);
}
return ['html', ...path].join(' > ');"""


@dataclass(slots=True)
class Control:
    """One that the workflow hovers over, and what was said and done."""

    path: str
    what: str
    locator: Json
    truth: int | None
    """Which control of the newer page it is; None where it is gone."""
    said_before: str = "notSeen"
    said: str = "notSeen"
    message: str = ""
    did: str = "failed"
    """`right`, `wrong` (on another element) or `failed`, by the run in the newer release."""
    error: str = ""
    was_healed: bool = False

    @property
    def is_false_alarm(self) -> bool:
        """The run needed no help, or not even that which was promised."""
        found = self.did == "right" and not self.was_healed
        return (self.said == "wouldHeal" and found) or (self.said == "wouldBreak" and self.did == "right")

    @property
    def is_missed(self) -> bool:
        """The run failed, or rested on another element, and nobody was warned."""
        return self.did != "right" and self.said in {"asBefore", "moved", "wouldHeal"}


@dataclass(slots=True)
class Plan:
    """The controls of one subject, in the order of its pages."""

    subject: Subject
    controls: list[Control] = field(default_factory=list[Control])
    tried: set[str] = field(default_factory=set[str])
    """What every page has, such as a menu, is tried once."""

    def blocks(self, address: str, login: str) -> list[Json]:
        """The workflow: each page with its controls."""
        blocks: list[Json] = [{"type": "Login", "data": {"loginId": login}}] if login else []
        path = ""
        for number, control in enumerate(self.controls):
            if control.path != path:
                path = control.path
                data = {"url": address + path, "waitUntil": "domcontentloaded"}
                blocks.append({"type": "Navigate", "data": data})
            blocks.append(_hovering(number, control))
        return blocks


def _hovering(number: int, control: Control) -> Json:
    """A control that is not there stops its round alone."""
    return {
        "type": "LoopV2",
        "blockReferenceId": f"round_{number}",
        "data": {"over": {"times": 1}, "continueOnError": True},
        "sequenceData": {
            "sequence": [
                {
                    "type": "Hover",
                    "name": control.what[:80],
                    "blockReferenceId": f"control_{number}",
                    "locator": control.locator,
                    "data": {"timeoutMs": _HOVER_MS},
                },
                {
                    "type": "CodeV2",
                    "blockReferenceId": f"under_{number}",
                    "data": {"language": "javascript", "code": _UNDER_THE_MOUSE},
                },
            ]
        },
    }


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--targets", type=int, default=6, help="controls of each page")
    parser.add_argument("--only", default="", help="only what has this in its name")
    parser.add_argument("--tell", action="store_true", help="print all that would not be as before")
    options = parser.parse_args()
    subjects = [subject for subject in SUBJECTS if options.only in subject.name]
    with running.running(PAGEHAND_HEAL_AFTER_SECONDS="1") as service:
        url = f"http://127.0.0.1:{service.port}"
        plans = asyncio.run(_measure(subjects, url, options.targets, tells=options.tell))
    _report([control for plan in plans for control in plan.controls], len(plans))


async def _measure(subjects: Sequence[Subject], url: str, targets: int, *, tells: bool) -> list[Plan]:
    plans: list[Plan] = []
    async with async_playwright() as playwright, AsyncPagehand(url) as client:
        browser = await playwright.chromium.launch(executable_path=running.browser_path())
        for subject in subjects:
            plans.append(await _look_at(subject, browser, client, targets))
            _report_one(plans[-1], tells=tells)
        await browser.close()
    return plans


async def _look_at(subject: Subject, browser: Browser, client: AsyncPagehand, targets: int) -> Plan:
    plan, port = Plan(subject), running.free_port()
    with subject.serving(0, port) as address:
        with subject.serving(1, running.free_port()) as newer:
            async with _entered(browser, subject, address) as old, _entered(browser, subject, newer) as new:
                for path in subject.paths:
                    await _choose(plan, path, (old, address + path), (new, newer + path), targets)
        login = await _stored_login(client, subject, address)
        made = await client.call(
            "/workflows/create", {"name": subject.name, "blocks": plan.blocks(address, login)}
        )
        workflow = made["workflow"]["id"]
        await _run(client, workflow)
        for control, said in zip(plan.controls, await _looks(client, workflow, plan), strict=True):
            control.said_before = said["status"]
    with subject.serving(1, port) as address:
        for control, said in zip(plan.controls, await _looks(client, workflow, plan), strict=True):
            control.said, control.message = said["status"], said["message"]
        ended = await _run(client, workflow)
        healed = {event["blockReferenceId"] for event in await _events(client, ended["id"], "locator.healed")}
        async with _entered(browser, subject, address) as page:
            await _judge(plan, page, address, ended["response"], healed)
    return plan


@asynccontextmanager
async def _entered(browser: Browser, subject: Subject, address: str) -> AsyncGenerator[Page]:
    """A page of ours, signed in where that is needed; nothing from elsewhere is fetched."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    await context.route("**/*", _only_ours)
    page = await context.new_page()
    if subject.account:
        await page.goto(address + subject.paths[0])
        await page.fill("[name=username]", subject.account)
        await page.fill("[name=password]", _PASSWORD)
        await page.press("[name=password]", "Enter")
        await page.wait_for_selector("[name=password]", state="detached")
    yield page
    await context.close()


async def _only_ours(route: Route) -> None:
    is_ours = route.request.url.startswith("http://127.0.0.1:")
    await (route.continue_() if is_ours else route.abort())


async def _choose(
    plan: Plan, path: str, older: tuple[Page, str], newer: tuple[Page, str], targets: int
) -> None:
    """Some of the controls of which it is known what became of them, as the older page shows them."""
    before, after = [await _inventory(page, address) for page, address in (older, newer)]
    same = same_controls(before, after)
    truth: dict[int, int | None] = {**dict.fromkeys(gone_controls(before, after)), **same}
    truth |= changed_controls(before, after, same)
    left = len(plan.controls) + targets
    page = older[0]
    for at in random.Random(path).sample(sorted(truth), len(truth)):
        what = before[at]["detail"]
        if what in plan.tried or len(plan.controls) == left:
            continue
        plan.tried.add(what)
        locator = await _locator(page, at)
        if locator:
            plan.controls.append(Control(path, what, locator, truth[at]))


async def _inventory(page: Page, address: str) -> list[Json]:
    answer = await page.goto(address, wait_until="domcontentloaded")
    if answer is None or not answer.ok:
        raise SystemExit(f"{address} does not answer.")
    return await page.evaluate(in_page("inventory"))


async def _locator(page: Page, at: int) -> Json | None:
    """As somebody would write it, if the mouse can get there at all."""
    element = (await page.evaluate_handle(in_page("controlAt"), at)).as_element()
    if element is None or not await _can_be_reached(element):
        return None
    if css := await page.evaluate(in_page("ownId"), at):
        return {"css": css}
    found = await stable_locator(page.main_frame, element)
    return found.as_given() if found else None


async def _can_be_reached(element: ElementHandle) -> bool:
    try:
        await element.hover(timeout=1000, trial=True)
    except PlaywrightError:
        return False
    return True


async def _stored_login(client: AsyncPagehand, subject: Subject, address: str) -> str:
    if not subject.account:
        return ""
    secrets = {"username": subject.account, "password": _PASSWORD}
    at = {"authenticationUrl": address + subject.paths[0], "loginConfiguration": secrets}
    stored = await client.call("/logins/upsert", {"name": subject.name, **at})
    return stored["login"]["id"]


async def _run(client: AsyncPagehand, workflow: str) -> Json:
    started = await client.call("/workflows/execute", {"workflowId": workflow})
    return (await client.wait(started["execution"]["id"])).data


async def _looks(client: AsyncPagehand, workflow: str, plan: Plan) -> list[Json]:
    """What was said of each control."""
    started = await client.call("/workflows/execute", {"workflowId": workflow, "look": True})
    try:
        execution = (await client.wait(started["execution"]["id"])).data
    except ExecutionFailed as failed:  # it says that something would break
        execution = failed.execution
    response: Json = execution["response"] or {}
    look: Json | None = response.get("look")
    if look is None:
        raise SystemExit(f"{plan.subject.name} was not looked at: {execution['errorAnalysis']}")
    if look["stoppedAt"]:
        raise SystemExit(f"{plan.subject.name}: the look ended at {look['stoppedAt']}")
    said: dict[str, Json] = {element["blockReferenceId"]: element for element in look["elements"]}
    return [said[f"control_{number}"] for number in range(len(plan.controls))]


async def _events(client: AsyncPagehand, execution: str, kind: str) -> list[Json]:
    found: list[Json] = []
    offset = 0
    while True:
        answer = await client.call("/executions/events", {"id": execution, "offset": offset})
        found += [event for event in answer["events"] if event["type"] == kind]
        offset += len(answer["events"])
        if not answer["events"] or offset >= answer["total"]:
            return found


async def _judge(plan: Plan, page: Page, address: str, response: Json, healed: set[str]) -> None:
    path = ""
    for number, control in enumerate(plan.controls):
        [done] = response[f"round_{number}"]
        under = done.get(f"under_{number}")
        if under is None:
            control.error = done["error"]
            continue
        if control.path != path:
            path = control.path
            await page.goto(address + path, wait_until="domcontentloaded")
        control.was_healed = f"control_{number}" in healed
        asked = {"path": under, "truth": control.truth}
        is_right = control.truth is not None and await page.evaluate(in_page("isOn"), asked)
        control.did = "right" if is_right else "wrong"


def _report_one(plan: Plan, *, tells: bool) -> None:
    said = Counter(control.said for control in plan.controls)
    alarms = sum(control.is_false_alarm for control in plan.controls)
    missed = sum(control.is_missed for control in plan.controls)
    counts = ", ".join(f"{said[status]} {status}" for status in _STATUSES)
    print(
        f"{plan.subject.name}: {len(plan.controls)} controls: {counts}; "
        f"{alarms} false alarms, {missed} missed",
        flush=True,
    )
    for control in plan.controls if tells else ():
        if control.said != "asBefore" or control.is_missed:
            mark = "FALSE ALARM " if control.is_false_alarm else "MISSED " if control.is_missed else ""
            healed = " healed" if control.was_healed else ""
            print(f"  {mark}{control.said}, run {control.did}{healed}: {control.path} {control.what}")
            print(f"      {control.locator}, truth {control.truth}: {control.message} | {control.error}")


def _report(controls: Sequence[Control], subjects: int) -> None:
    said = Counter(control.said for control in controls)
    warned = [control for control in controls if control.did != "right"]
    healed = [control for control in controls if control.said == "wouldHeal"]
    publish(
        "looking",
        f"Early warning on {subjects} applications and front ends, in two releases each",
        [
            Figure("controls looked at", len(controls)),
            Figure("in the same release: not as before", _not_as_before(controls), at_most=0),
            *(Figure(f"in the newer one: {status}", said[status]) for status in _STATUSES),
            Figure("would heal, and the run rested on the right one", _right(healed)),
            Figure("the run failed, or rested on another element", len(warned)),
            Figure("false alarms", sum(control.is_false_alarm for control in controls), at_most=0),
            Figure("missed", sum(control.is_missed for control in controls)),
        ],
    )


def _not_as_before(controls: Sequence[Control]) -> int:
    return sum(control.said_before != "asBefore" for control in controls)


def _right(controls: Sequence[Control]) -> int:
    return sum(control.did == "right" for control in controls)


if __name__ == "__main__":
    main()
