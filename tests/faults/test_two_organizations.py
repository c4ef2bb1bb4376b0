"""Ten thousand executions of one organization wait, and another one's are accepted and start all the same."""

import time
from collections.abc import Callable

from support.blocks import value, wait
from support.service import FINAL
from support.workers import Fleet

QUEUED = 10_000
ASKED = 20


def test_ten_thousand_of_one_do_not_keep_another_waiting(
    both: Fleet, record_property: Callable[[str, object], None]
) -> None:
    node = both.nodes[0]
    first, second = node.api(), node.api(node.new_key("second"))
    slow = first.create("many", wait(300))["id"]
    rows = [{"n": number} for number in range(QUEUED)]
    batch = first.call("/batches/create", {"name": "many", "workflowId": slow, "rows": rows})["batch"]
    assert batch["total"] == QUEUED
    quick = second.create("one", value("out"))["id"]
    accepted_ms, waited_ms = list[float](), list[float]()
    for _ in range(ASKED):
        began = time.monotonic()
        execution = second.start(quick)["id"]
        accepted_ms.append((time.monotonic() - began) * 1000)
        ended = second.wait_for(execution, *FINAL)
        waited_ms.append((time.monotonic() - began) * 1000)
        assert ended["response"] == {"out": 1}
    assert first.call("/executions/list", {"batch": batch["id"], "status": "Enqueued"})["total"] > QUEUED // 2
    first.call("/batches/cancel", {"id": batch["id"]})
    record_property("longest until accepted in ms", round(max(accepted_ms)))
    record_property("longest until ended in ms", round(max(waited_ms)))
    assert max(accepted_ms) < 2000  # 100 ms are promised for 99 in 100; a busy machine gets more
    assert max(waited_ms) < 10_000  # two seconds are promised
