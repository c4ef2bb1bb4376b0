"""The memory that a container leaves to the service, under both versions of control groups."""

from pathlib import Path

import pytest

from pagehand.api.request_limits import memory_limit

GIB = 1 << 30


@pytest.mark.parametrize(
    ("groups", "files", "expected"),
    [
        ("0::/", {"memory.max": f"{GIB}\n"}, GIB),  # a container
        ("0::/a/b.service", {"a/b.service/memory.max": "max\n", "a/memory.max": f"{GIB}\n"}, GIB),
        ("4:memory:/docker/1\n3:cpu:/x", {"memory/memory.limit_in_bytes": f"{GIB}\n"}, GIB),
        ("4:memory:/a/b", {"memory/a/b/memory.limit_in_bytes": "4096\n", "memory.max": "9"}, 4096),
        ("4:memory:/\n0::/", {"memory/memory.limit_in_bytes": "9223372036854771712\n"}, None),
        ("0::/", {"memory.max": "max\n"}, None),
        ("0::/", {}, None),
    ],
)
def test_the_lowest_limit_counts(
    tmp_path: Path, groups: str, files: dict[str, str], expected: int | None
) -> None:
    (tmp_path / "cgroup").write_text(groups)
    for name, content in files.items():
        path = tmp_path / "mount" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    of_machine = memory_limit(tmp_path / "none", tmp_path)
    assert memory_limit(tmp_path / "cgroup", tmp_path / "mount") == (expected or of_machine)
