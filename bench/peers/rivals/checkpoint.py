"""Checkpoints: one file with the kind of model, its options, where training stands, and the tensors."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch


def save_checkpoint(path: Path, kind: str, model: torch.nn.Module, optimiser: Any, options: Any, state: dict[str, Any]) -> None:
    """Written beside and renamed, so that a stop while writing leaves the earlier one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "kind": kind,
        "options": asdict(options),
        "state": dict(state),
        "model": model.state_dict(),
        "optimiser": optimiser.state_dict() if optimiser else None,
        "random": torch.get_rng_state(),
    }
    torch.save(content, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def read_checkpoint(path: Path, device: str) -> dict[str, Any]:
    if not path.exists():
        raise SystemExit(f"{path}: no such checkpoint: train first, without --resume")
    return torch.load(path, map_location=device, weights_only=True)


def load_checkpoint(path: Path, model: torch.nn.Module, optimiser: Any, device: str) -> dict[str, Any]:
    """Puts a checkpoint into a model and its optimiser; returns where training stands."""
    content = read_checkpoint(path, device)
    model.load_state_dict(content["model"])
    optimiser.load_state_dict(content["optimiser"])
    torch.set_rng_state(content["random"].cpu())
    return {**content["state"], "finished": False}
