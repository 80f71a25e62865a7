from __future__ import annotations

import numpy as np
import pytest

from fuzzqe import Bundle
from fuzzqe.facts import Facts
from fuzzqe.model import Model
from fuzzqe.rules import Rule, Rules, read_rules

ENTITIES, RELATIONS = 40, 6


@pytest.fixture(scope="module")
def facts(bundle: Bundle) -> Facts:
    """So many facts that levels of paths, and the paths of a link, end before all edges are looked at."""
    random = np.random.default_rng(3)
    sizes = (ENTITIES, RELATIONS // 2, ENTITIES)
    drawn = np.unique(random.integers(0, sizes, (1500, 3)), axis=0).astype(np.int32) * np.array([1, 2, 1], np.int32)
    model = bundle.manifest.model
    values = {name: getattr(model, name) for name in Model.__slots__}
    return Facts(drawn, Model(**{**values, "entities": ENTITIES, "relations": RELATIONS}))


@pytest.fixture(scope="module")
def rules() -> list[Rule]:
    random = np.random.default_rng(4)
    found: dict[object, Rule] = {}
    for relation in range(RELATIONS):
        for i in range(40):
            path = tuple(random.integers(0, RELATIONS, 1 + i % 3).tolist())
            predictions = int(random.integers(1, 30))
            hits = int(random.integers(1, predictions + 1))
            found[relation, path] = Rule(relation, hits, predictions, path, None)
            constant = (int(random.integers(3)), int(random.integers(RELATIONS)), int(random.integers(ENTITIES)))
            found[relation, constant, "constant"] = Rule(relation, hits, predictions, (), constant)
    return list(found.values())


def naive(facts: Facts, rules: list[Rule], head: int, relation: int, edges: int) -> dict[int, list[float]]:
    """The confidences of the rules that name each entity, by the text of docs/model.md."""
    named: dict[int, list[float]] = {}
    looked = 0
    own = [rule for rule in rules if rule.relation == relation]
    for rule in sorted(own, key=lambda rule: (-rule.confidence, len(rule.path), rule.path)):
        if not rule.path or looked >= edges:
            continue
        paths = [[head]]
        for along in rule.path:
            some = [(path, tail) for path in paths for tail in facts.tails(path[-1], along).tolist()][:1024]
            looked += len(some)
            paths = [[*path, tail] for path, tail in some if tail not in path]
        for end in {path[-1] for path in paths}:
            named.setdefault(end, []).append(rule.confidence)
    for rule in own:
        if rule.constant is not None and rule.constant[2] in facts.tails(head, rule.constant[1]):
            named.setdefault(rule.constant[0], []).append(rule.confidence)
    closed = {head, *facts.tails(head, relation).tolist()}
    return {entity: sorted(some, reverse=True) for entity, some in sorted(named.items()) if entity not in closed}


def test_rules_name_what_plain_loops_name(facts: Facts, rules: list[Rule]) -> None:
    index = Rules(facts, rules)
    differs = 0
    for head in range(0, ENTITIES, 8):
        for relation in range(RELATIONS):
            fired = index.fire(head, relation)
            expected = naive(facts, rules, head, relation, 2**13)
            differs += expected != naive(facts, rules, head, relation, 2**20)
            assert fired.ids.tolist() == list(expected)
            assert fired.best.tolist() == [np.float32(some[0]) for some in expected.values()]
            joined = [1 - np.prod([1 - each for each in some[:6]]) for some in expected.values()]
            assert fired.joined == pytest.approx(joined, rel=1e-6)
    # The bound on edges decides something.
    assert differs > 0


def test_the_rules_that_explain_a_tail_are_the_best_of_those_that_name_it(facts: Facts, rules: list[Rule]) -> None:
    index = Rules(facts, rules)
    fired = index.fire(1, 2)
    for entity, best in zip(fired.ids.tolist(), fired.best.tolist(), strict=True):
        instances = index.explain(1, 2, entity, 3)
        assert 1 <= len(instances) <= 3
        assert np.float32(instances[0].rule.confidence) == np.float32(best)
        for instance in instances:
            path = instance.rule.path or (instance.rule.constant or (0, 0, 0))[1:2]
            assert instance.entities[0] == 1
            for head, relation, tail in zip(instance.entities[:-1], path, instance.entities[1:], strict=True):
                assert tail in facts.tails(head, relation)
    assert index.explain(1, 2, 1, 3) == []


def test_the_order_of_lines_changes_nothing(facts: Facts) -> None:
    lines = ["0\t3\t9\tpath 2", "0\t9\t9\tpath 2 3", "0\t4\t9\tconstant 1 2 3"]
    header = f"fuzzqe-rules\t1\t{ENTITIES}\t{RELATIONS}\t-"
    one, other = (
        read_rules("\n".join([header, *some, ""]), facts, "", "rules.tsv").fire(5, 0) for some in (lines, lines[::-1])
    )
    assert len(one.ids) > 0
    assert (one.ids.tolist(), one.joined.tolist()) == (other.ids.tolist(), other.joined.tolist())
