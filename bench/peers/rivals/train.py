"""Trains a rival on a data set folder with a time budget: python -m rivals.train MODEL DATA --out RUN [--minutes 10]."""

import argparse
from dataclasses import fields
from pathlib import Path
from typing import Any

import torch

from .checkpoint import read_checkpoint
from .dataset import read_dataset
from .embeddings import models
from .train_embeddings import EmbeddingOptions, train_embeddings
from .train_links import LinkOptions, train_links


def main() -> None:
    parser = argparse.ArgumentParser(description="Options that are left out have the defaults of the model's kind.")
    parser.add_argument("model", choices=["complex", "fuzzy", *models])
    parser.add_argument("data", help="a data set folder")
    parser.add_argument("--out", required=True, type=Path, help="where checkpoints go")
    parser.add_argument("--resume", action="store_true", help="go on from last.pt with its options, save --minutes, --epochs and --steps")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=1)
    kinds: dict[str, Any] = {}
    for each in [*fields(LinkOptions), *fields(EmbeddingOptions)]:
        if each.name != "model" and each.name not in kinds:
            kinds[each.name] = float if each.type in (float, "float") else int
            parser.add_argument(f"--{each.name.replace('_', '-')}", type=kinds[each.name])
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.set_float32_matmul_precision("high")  # on CUDA, products in TF32

    options_of = LinkOptions if args.model in ("complex", "fuzzy") else EmbeddingOptions
    known = {each.name for each in fields(options_of)}
    given = {name: getattr(args, name) for name in kinds if getattr(args, name) is not None}
    if extra := given.keys() - known:
        parser.error(f"{args.model} has no --{sorted(extra)[0].replace('_', '-')}")
    if args.model == "complex" and args.layer_norm:
        parser.error("complex has no --layer-norm")
    last = args.out / "last.pt"
    if args.resume:
        saved = read_checkpoint(last, "cpu")
        if saved["kind"] != args.model:
            parser.error(f"{last} is a run of {saved['kind']}, not of {args.model}")
        given = {**saved["options"], **{name: given[name] for name in ("minutes", "epochs", "steps") if name in given}}
    elif last.exists():
        parser.error(f"{last} is there already: add --resume, or choose another --out")
    given.pop("model", None)
    data = read_dataset(args.data)
    if options_of is LinkOptions:
        model = train_links(data, LinkOptions(**given), args.device, args.out, args.resume, args.model)
    else:
        model = train_embeddings(data, EmbeddingOptions(model=args.model, **given), args.device, args.out, args.resume)
    state = read_checkpoint(args.out / "best.pt", "cpu")["state"]
    where = state.get("best_epoch", state.get("best_step"))
    print(f"best: {100 * state['best']:.2f} at {where}; {sum(p.numel() for p in model.parameters())} parameters; {args.out}/best.pt")


if __name__ == "__main__":
    main()
