"""What `pagehand serve` says when it is ready."""

from rich.console import Console

from pagehand.demo.first_run import Demo
from pagehand.settings import Settings


def show_banner(settings: Settings, address: str, demo: Demo | None) -> None:
    """Where things are, and the one command to try first."""
    say = Console(highlight=False, soft_wrap=True).print
    say("\n[bold]Pagehand is ready.[/bold]")
    say(f"  Console    {address}/")
    say(f"  API        {address}")
    say(f"  API docs   {address}/docs")
    say(f"  Data       {settings.data_dir}")
    if demo is None:
        say("")
        return
    say(f"  Demo site  {demo.url}   (user demo, password demo)")
    say("\nRun the demo workflow and wait for its result:\n")
    say(
        f"  curl -s {address}/workflows/executeSync -H 'Content-Type: application/json' \\\n"
        f'    -d \'{{"workflowName": "{demo.workflow_name}"}}\'\n',
        # the JSON has brackets, which Rich would read as markup
        markup=False,
    )
    say(f"Open {address}/ in a browser to see it happen.\n")
