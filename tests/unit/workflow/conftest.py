"""Kinds to parse with: the real flow and data blocks, which need nothing else."""

import pytest

from pagehand.blocks import Registry
from pagehand.blocks.data.transform import Transform
from pagehand.blocks.flow.if_ import If
from pagehand.blocks.flow.loop import Loop
from pagehand.blocks.flow.wait import Wait


@pytest.fixture(scope="session")
def kinds() -> Registry:
    return Registry([Wait, If, Loop, Transform])
