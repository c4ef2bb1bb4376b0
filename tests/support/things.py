"""Makes one thing of each kind in an organization."""

from support.blocks import value
from support.database import add_thread
from support.service import FINAL, Api, RunningService


def one_of_each(service: RunningService, api: Api, organization: str) -> dict[str, str]:
    """Ids of real things, by prefix."""
    flow = api.create("File a claim", value("x"), tags=[f"tag of {organization}"])
    login = {
        "name": f"Login of {organization}",
        "authenticationUrl": "https://bank.example/in",
        "loginConfiguration": {"username": organization},
    }
    execution = api.call("/workflows/executeSync", {"workflowId": flow["id"]})["execution"]
    batch = api.call("/batches/create", {"name": "b", "workflowId": flow["id"], "rows": [{}]})["batch"]
    [row] = api.call("/executions/list", {"batch": batch["id"]})["executions"]
    api.wait_for(row["id"], *FINAL)
    hook = {"url": "https://hooks.invalid/x", "events": ["batch.finished"]}
    webhook = api.call("/webhooks/create", hook)["webhook"]["id"]
    return {
        "wf": flow["id"],
        "webhook": webhook,
        "doc": api.call("/knowledge/create", {"name": organization, "text": "zebra"})["document"]["id"],
        "delivery": api.call("/webhooks/test", {"id": webhook})["delivery"]["id"],
        "exec": execution["id"],
        "bs": execution["browserSessionId"],
        "batch": batch["id"],
        "tag": flow["tags"][0]["id"],
        "login": api.call("/logins/create", login)["login"]["id"],
        "file": api.call("/files/upload", {"name": "secret.txt", "contentBase64": "QQ=="})["file"]["id"],
        "key": api.call("/keys/list")["keys"][0]["id"],
        "thread": add_thread(service, organization, [("user", "between us")]),
        "block": flow["blocks"][0]["id"],
        "schedule": api.call("/schedules/create", {"workflowId": flow["id"], "cron": "0 4 1 1 *"})[
            "schedule"
        ]["id"],
    }
