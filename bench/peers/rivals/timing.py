"""The clock that budgets and times count by."""

import time
from collections.abc import Callable

import torch


def clock_of(device: str) -> Callable[[], float]:
    """Seconds of the processor on a CPU, so that other work on the machine does not count; of the wall on a GPU."""
    if not device.startswith("cuda"):
        return time.process_time

    def synchronised() -> float:
        torch.cuda.synchronize()
        return time.perf_counter()

    return synchronised
