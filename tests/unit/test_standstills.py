"""Standstills of the machine are told from work that takes long."""

import os
import signal
import time

from pagehand.testing import standstills


def test_a_core_that_did_not_run_is_noticed() -> None:
    began, end = time.time(), time.monotonic() + 30
    with standstills.watched() as watchers:
        # the first stop may come before it watches
        while standstills.seconds_between(began, time.time()) < 0.2:
            assert time.monotonic() < end
            os.kill(watchers[0], signal.SIGSTOP)
            time.sleep(0.3)
            os.kill(watchers[0], signal.SIGCONT)
            time.sleep(0.1)
        assert standstills.seconds_between(began - 10, began) == 0
