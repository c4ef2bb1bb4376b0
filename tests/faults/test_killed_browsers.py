"""A browser or Playwright's driver is killed while executions run, alone and at a worker."""

import os
import signal
import time
from collections.abc import Callable

from support.blocks import navigate, wait
from support.service import FINAL, Api, processes_below
from support.site import Site
from support.waiting import wait_until
from support.workers import Fleet

Record = Callable[[str, object], None]


def below(fleet: Fleet) -> list[tuple[int, str]]:
    """The processes below the one that runs executions."""
    runner = fleet.workers[0].running if fleet.workers else fleet.nodes[0].process
    assert runner is not None
    return processes_below(runner.pid)


def opened(api: Api, site: Site, milliseconds: int) -> str:
    """The id of an execution that has its page open and waits."""
    workflow = api.create("browse", navigate(site.page("/", "<p>here</p>")), wait(milliseconds))["id"]
    execution = api.start(workflow)["id"]
    wait_until(lambda: "nap" in [event["blockReferenceId"] for event in api.events(execution)])
    return execution


def test_a_killed_browser_ends_its_execution_and_no_other(
    both: Fleet, site: Site, record_property: Record
) -> None:
    api = both.nodes[0].api()
    other, struck = opened(api, site, 8_000), opened(api, site, 600_000)
    name = api.get(struck)["browserSessionVendorId"]
    # Debian's browser is started by a shell script: that is not the one to kill
    browser = [pid for pid, line in below(both) if name in line and "--type=" not in line][-1]
    killed = time.monotonic()
    os.kill(browser, signal.SIGKILL)
    ended = api.wait_for(struck, *FINAL)
    seconds = time.monotonic() - killed
    record_property("seconds until the execution has ended", round(seconds, 2))
    assert (ended["status"], ended["failure"]["code"]) == ("Failed", "BrowserLost")
    wait_until(lambda: not [line for _, line in below(both) if name in line])
    done = api.wait_for(other, *FINAL)
    assert (done["status"], done["attempts"]) == ("Completed", 1)


def test_after_playwrights_driver_was_killed_the_next_run_has_a_browser(
    both: Fleet, site: Site, record_property: Record
) -> None:
    api = both.nodes[0].api()
    struck = opened(api, site, 600_000)
    driver = next(pid for pid, line in below(both) if "run-driver" in line)
    os.kill(driver, signal.SIGKILL)
    began = time.monotonic()
    done = api.run(navigate(site.page("/next", "<p>there</p>")))
    seconds = time.monotonic() - began
    record_property("seconds until the next run had ended", round(seconds, 2))
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert api.wait_for(struck, *FINAL)["failure"]["code"] == "BrowserLost"
