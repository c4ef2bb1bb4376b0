"""What `pagehand serve` prints when it is ready."""

from rich.console import Console

from pagehand.demo.first_run import Demo
from pagehand.settings import Settings


def show_banner(settings: Settings, address: str, demo: Demo | None) -> None:
    """Print the addresses, and a command to try first."""
    echo = Console(highlight=False, soft_wrap=True).print
    echo("\n[bold]Pagehand is ready.[/bold]")
    echo(f"  Console    {address}/")
    echo(f"  API        {address}")
    echo(f"  API docs   {address}/docs")
    echo(f"  Data       {settings.data_dir}")
    if demo is None:
        echo("")
        return
    echo(f"  Demo site  {demo.url}   (user demo, password demo)")
    echo("\nRun the demo workflow and wait for its result:\n")
    echo(
        f"  curl -s {address}/workflows/executeSync -H 'Content-Type: application/json' \\\n"
        f'    -d \'{{"workflowName": "{demo.workflow_name}"}}\'\n',
        # the JSON has brackets, which Rich would read as markup
        markup=False,
    )
    echo(f"Open {address}/ in a browser to see it happen.\n")
