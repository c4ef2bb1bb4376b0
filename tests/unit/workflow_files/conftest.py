"""What the tests of workflow files share."""

import pytest

from pagehand.blocks import Registry, kinds


@pytest.fixture(scope="session")
def all_kinds() -> Registry:
    return kinds()
