"""What Prometheus reads at each process: the database's figures everywhere, a worker's own at the worker."""

import httpx2
from prometheus_client.parser import text_string_to_metric_families

from support.blocks import value
from support.service import free_port
from support.waiting import wait_until
from support.workers import Fleet


def read_metrics(url: str) -> dict[str, float]:
    """Every figure by its name and labels as they are written."""
    text = httpx2.get(f"{url}/metrics").text
    return {
        f"{sample.name}{sorted(sample.labels.items())}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_nodes_count_the_workers_and_a_worker_shows_what_it_ran(fleet: Fleet) -> None:
    nodes = [fleet.node(), fleet.node()]
    addresses = [f"127.0.0.1:{free_port()}" for _ in range(2)]
    for address in addresses:
        fleet.env["PAGEHAND_LISTEN"] = address
        fleet.worker()
    for node in nodes:
        wait_until(lambda url=node.url: read_metrics(url)["pagehand_workers[]"] == 2)
    assert nodes[0].api().run(value("answer"))["status"] == "Completed"
    for node in nodes:
        assert read_metrics(node.url)["pagehand_executions[('status', 'Completed')]"] == 1
    finished = "pagehand_executions_finished_total[('code', ''), ('status', 'Completed')]"
    blocks = "pagehand_blocks_seconds_count[('kind', 'Transform')]"
    shown = [read_metrics(f"http://{address}") for address in addresses]
    assert sum(item.get(finished, 0) for item in shown) == 1
    assert sum(item.get(blocks, 0) for item in shown) == 1
    assert finished not in read_metrics(nodes[0].url)  # it ran nothing
    fleet.workers[0].kill()
    wait_until(lambda: read_metrics(nodes[1].url)["pagehand_workers[]"] == 1)
    refused = httpx2.post(f"http://{addresses[1]}/workflows/list", json={})
    assert refused.status_code == 403
