"""What every MiniWoB++ task begins and ends with: open the page, press START; read the reward."""

from typing import Any

OPENING: list[dict[str, Any]] = [
    {"type": "Navigate", "data": {"url": "{{params.page}}"}},
    {
        "type": "CodeV2",
        "name": "Set the seed, and give slow machines time",
        "data": {
            "language": "javascript",
            "inputs": {"seed": "{{seed}}"},
            "code": "inputs => { Math.seedrandom(inputs.seed); core.EPISODE_MAX_TIME = 60000; return null; }",
        },
    },
    {"type": "Mouse", "name": "Press START", "locator": {"css": "#sync-task-cover"}, "data": {}},
    {
        "type": "Extract",
        "name": "Read the instruction",
        "blockReferenceId": "query",
        "data": {"fields": {"text": {"locator": {"css": "#query"}}}},
    },
]
CLOSING: list[dict[str, Any]] = [
    {
        "type": "CodeV2",
        "name": "Read the reward",
        "blockReferenceId": "episode",
        "data": {
            "language": "javascript",
            "code": "() => ({done: WOB_DONE_GLOBAL, reward: WOB_RAW_REWARD_GLOBAL})",
        },
    },
]
