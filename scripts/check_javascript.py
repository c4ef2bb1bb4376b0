"""Lint and type-check the JavaScript that runs in pages, with the tools of the console.

Each file is one function expression. Files that are joined before they run are checked as one function.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from build_console import CONSOLE, ROOT, install, run_node

_PACKAGE = ROOT / "pagehand"
_JOINED = {
    "page/phrases/inventory": ("dom, most", "elements names items sections rows report", ""),
    "page/extraction/reader": ("dom, scope", "text parts pairs tables groups embedded", ""),
    "browser/healing": (
        "dom",
        "describe score tasks",
        "return {check, fingerprint, locatorsOf, pointed, pointedFacts, rank};",
    ),
}
"""Files that make up the body of one function: its parameters, the files in order, and what ends it."""
_BUILT = {_PACKAGE / "api" / "console" / "bundle", _PACKAGE / "api" / "guide" / "site"}


def main() -> None:
    """Check all scripts; the tools print what is wrong and where."""
    install(tools=True)
    # inside the console's folder, where Node finds the tools and their types
    with tempfile.TemporaryDirectory(dir=CONSOLE, prefix=".page-scripts-") as folder:
        for name, text in _texts().items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        config = CONSOLE / "page-scripts" / "tsconfig.json"
        (Path(folder) / "tsconfig.json").write_text(config.read_text("utf-8"), "utf-8")
        try:
            run_node("node_modules/typescript/bin/tsc", "--noEmit", "-p", folder)
            rules = CONSOLE / "page-scripts" / "eslint.config.js"
            run_node("node_modules/eslint/bin/eslint.js", "--max-warnings", "0", "-c", str(rules), folder)
        except subprocess.CalledProcessError:
            sys.exit("Fix the files above; their paths are relative to pagehand/.")


def _texts() -> dict[str, str]:
    """The scripts to check, by path relative to the package."""
    joined = {f"{folder}/{name}.js" for folder, (_, names, _) in _JOINED.items() for name in names.split()}
    found = {
        path.relative_to(_PACKAGE).as_posix(): path.read_text("utf-8")
        for path in sorted(_PACKAGE.rglob("*.js"))
        if _BUILT.isdisjoint(path.parents)
    }
    single = {name: text for name, text in found.items() if name not in joined}
    for folder, (parameters, names, end) in _JOINED.items():
        body = "\n".join(found[f"{folder}/{name}.js"] for name in names.split())
        single[f"{folder}/joined.js"] = f"({parameters}) => {{\n{body}\n{end}\n}}\n"
    return single


if __name__ == "__main__":
    main()
