"""Evaluates a trained rival: python -m rivals.evaluate RUN --data DATA --by cqd|qto|embedding --out FILE.json.

What `--fit N` chooses is chosen on N validation queries of each structure, never on the test's.
"""

import argparse
import itertools
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .checkpoint import read_checkpoint
from .complex import ComplEx
from .dataset import Dataset, read_dataset
from .embeddings import models
from .fuzzy_links import FuzzyLinks
from .fuzzy_sets import SetsOptions, fuzzy_sets, sets_grid
from .links import Adjacency, CqdOptions, LinkPredictor, QtoOptions, RowsOnDemand, cqd, cqd_grid, negation_scales, qto, qto_grid
from .query import Query, digest, read_queries, with_negation, without_negation
from .ranking import Figures, evaluate, means
from .timing import clock_of
from .train_embeddings import scorer

Score = Callable[[Query], np.ndarray]


def load(run: Path, device: str) -> tuple[torch.nn.Module, dict[str, Any]]:
    saved = read_checkpoint(run / "best.pt", device)
    options, tensors = saved["options"], saved["model"]
    if saved["kind"] == "complex":
        model = ComplEx(len(tensors["entities"]), len(tensors["relations"]), options["rank"])
    elif saved["kind"] == "fuzzy":
        model = FuzzyLinks(len(tensors["entities"]), len(tensors["relations"]), options["rank"], options["layer_norm"] > 0)
    else:
        model = models[saved["kind"]](len(tensors["points"]), len(tensors["shifts"]), options["dimension"])
    model.load_state_dict(tensors)
    return model.to(device).eval(), saved


def on_cpu(score: Callable[[Query], torch.Tensor]) -> Score:
    return lambda query: score(query).cpu().numpy()


def mrr(score: Score, queries: list[Query]) -> float:
    """The mean over structures."""
    return float(np.mean([each.mrr for each in evaluate(score, queries).values()]))


def prepared_cqd(model: LinkPredictor, queries: list[Query], beam: int) -> tuple[Score, dict[str, Any]]:
    """CQD-beam with the t-norm and the degree of a link that are best on `queries`; without any, its defaults."""
    grid = [replace(each, beam=beam) for each in cqd_grid]
    best = max(grid, key=lambda each: mrr(on_cpu(cqd(model, each)), queries)) if queries else CqdOptions(beam=beam)
    return on_cpu(cqd(model, best)), asdict(best)


def prepared_qto(model: LinkPredictor, data: Dataset, queries: list[Query], facts: tuple[str, ...], limit: float, on_demand: int | None) -> tuple[Score, dict[str, Any]]:
    """QTO with the scale and the scale of negations that are best on `queries`, over matrices with `facts` recorded."""
    opened = Adjacency if on_demand is None else partial(RowsOnDemand, members=on_demand)
    chosen = QtoOptions(threshold=limit)
    if queries:
        known = data.graph("train")
        positive = [query for query in queries if query.structure in without_negation]
        negative = [query for query in queries if query.structure in with_negation]
        best = -1.0
        for each in qto_grid:
            each = replace(each, threshold=limit)
            adjacency = opened(model, known, each)
            reached = mrr(on_cpu(qto(adjacency, 1)), positive)
            if reached > best:
                scale = max(negation_scales, key=lambda s: mrr(on_cpu(qto(adjacency, s)), negative)) if negative else each.negation_scale
                best, chosen = reached, replace(each, negation_scale=scale)
    adjacency = opened(model, data.graph(*facts), chosen)
    clock = clock_of(model.entities.device.type)
    start = clock()
    entries = adjacency.prepare()
    preparation = {"seconds to prepare": clock() - start, "degrees kept": entries, "on demand": on_demand}
    return on_cpu(qto(adjacency, chosen.negation_scale)), {**asdict(chosen), **preparation, "facts": list(facts)}


def prepared_sets(model: LinkPredictor, data: Dataset, queries: list[Query], facts: tuple[str, ...], share: str) -> tuple[Score, dict[str, Any]]:
    """Fuzzy sets with the calibration of `share` that is best on `queries`; without any, the first of them."""
    grid = [each for each in sets_grid if each.share == share]
    known = data.graph("train")
    best = max(grid, key=lambda each: mrr(on_cpu(fuzzy_sets(model, known, each)), queries)) if queries else grid[0]
    return on_cpu(fuzzy_sets(model, data.graph(*facts), best)), {**asdict(best), "facts": list(facts)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("run", type=Path)
    parser.add_argument("--data", required=True)
    parser.add_argument("--by", choices=["cqd", "qto", "sets", "embedding"], help="default: embedding, or cqd where the run predicts links")
    parser.add_argument("--share", choices=["relation", "link"], default="relation", help="sets: what a link's degree is a share of")
    parser.add_argument("--split", choices=["valid", "test"], default="test")
    parser.add_argument("--queries", help="another file of queries than the data set's; --split says of which part")
    parser.add_argument("--each", type=int, default=0, help="queries of each structure, 0: all")
    parser.add_argument("--fit", type=int, default=0, help="validation queries of each structure to choose options on, 0: defaults")
    parser.add_argument("--facts", choices=["easy", "train"], default="easy", help="qto and sets: recorded is what easy answers know, or train alone")
    parser.add_argument("--beam", type=int, default=64)
    parser.add_argument("--threshold", type=float, default=2e-4)
    parser.add_argument("--on-demand", type=int, nargs="?", const=0, help="qto: keep no matrices, compute rows when they are asked for; of so many heads of highest degree, 0: of all")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--name", help="the row's name in the table")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)

    data = read_dataset(args.data)
    model, saved = load(args.run, args.device)
    predicts_links = saved["kind"] in ("complex", "fuzzy")
    by = args.by or ("cqd" if predicts_links else "embedding")
    if (by == "embedding") == predicts_links:
        parser.error(f"{args.run} is a run of {saved['kind']}: --by {by} does not go with it")
    known = data.known(args.split)
    queries = read_queries(args.queries or data.folder / "queries" / f"{args.split}.jsonl", known, args.each)
    fitted = read_queries(data.folder / "queries" / "valid.jsonl", data.graph("train"), args.fit) if args.fit else []
    if by == "cqd":
        score, chosen = prepared_cqd(model, fitted, args.beam)
    elif by in ("qto", "sets"):
        recorded = ("train", "valid") if args.split == "test" and args.facts == "easy" else ("train",)
        if by == "qto":
            score, chosen = prepared_qto(model, data, fitted, recorded, args.threshold, args.on_demand)
        else:
            score, chosen = prepared_sets(model, data, fitted, recorded, args.share)
    else:
        score, chosen = scorer(model), {}
        if not model.negates:
            queries = [query for query in queries if query.structure not in with_negation]
    print(json.dumps(chosen), flush=True)

    report = {
        "name": args.name or (by if predicts_links else saved["kind"]),
        "data": data.folder.name,
        "split": args.split,
        "queries": {},
        "minutes": saved["state"]["seconds"] / 60,  # until the checkpoint that is evaluated
        "parameters": sum(each.numel() for each in model.parameters()),
        "device": torch.cuda.get_device_name() if args.device.startswith("cuda") else f"cpu, {args.threads} thread(s)",
        "training": saved["options"],
        "options": chosen,
        "fitted on": args.fit,
        "structures": {},
    }
    figures: dict[str, Figures] = {}
    for name, group in itertools.groupby(queries, key=lambda query: query.structure):
        own = list(group)
        each = evaluate(score, own, args.device)[name]
        figures[name] = each
        report["queries"][name], report["structures"][name] = digest(own), asdict(each)
        if args.out:  # after each structure, so that a stop leaves those that are done
            args.out.parent.mkdir(parents=True, exist_ok=True)
            args.out.write_text(json.dumps(report, indent=1) + "\n")
        print(f"{name:4} MRR {100 * each.mrr:5.1f}  H@3 {100 * each.hits3:5.1f}  {each.milliseconds:7.2f} ms  ({each.queries})", flush=True)
    print("without and with negation: " + " / ".join(f"{100 * each:.1f}" for each in means(figures)))


if __name__ == "__main__":
    main()
