"""The clock that budgets and times count by."""

import time
from collections.abc import Callable

import torch


def budget_clock(device: str) -> Callable[[], float]:
    """As clock_of, but it does not wait for the GPU, so that it may be asked at every step."""
    return time.perf_counter if device.startswith("cuda") else time.process_time


def clock_of(device: str) -> Callable[[], float]:
    """Seconds of the processor on a CPU, so that other work on the machine does not count; of the wall on a GPU."""
    if not device.startswith("cuda"):
        return time.process_time

    def synchronised() -> float:
        torch.cuda.synchronize()
        return time.perf_counter()

    return synchronised
