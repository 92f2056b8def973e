"""The two time limits: one on elapsed time, one on processor time."""

import signal
import time

import pytest

from roofproof.clock import within
from roofproof.errors import Stopped


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no alarms")
def test_a_limit_of_work_leaves_out_what_others_take() -> None:
    with within(1, busy=True):
        time.sleep(1.1)
    with pytest.raises(Stopped, match="no answer in 1 s"), within(1, busy=True):
        while True:
            pass
    with pytest.raises(Stopped), within(1):
        time.sleep(1.1)
