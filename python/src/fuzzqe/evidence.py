"""The evidence of a bundle's links, as its files hold it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import FuzzError
from .facts import Facts, read_facts
from .folder import Folder
from .graphs import CHECK, Graphs
from .link_degrees import LinkDegrees
from .link_reasons import LinkReasons, reasons_of
from .link_weights import FEATURES, LinkWeights, read_weights
from .manifest import ENTAILED, EVIDENCE, FACTS, RULES
from .rules import Rules, read_rules


class Evidence:
    """Judges the links of a bundle, and says why."""

    def __init__(self, folder: Folder, facts: Facts, graphs: Graphs) -> None:
        """Raises FuzzError `bundle`: files that are damaged or of another graph."""
        manifest = folder.manifest
        if manifest.has_facts:
            weights = read_weights(folder.text(EVIDENCE), manifest.model.relations, EVIDENCE)
            self._rules = read_rules(folder.text(RULES), facts, manifest.files[FACTS].sha256, RULES)
        else:
            # No link is asked for.
            weights = LinkWeights(None, (), np.zeros((manifest.model.relations, len(FEATURES))))
            self._rules = Rules(facts, [])
        self._facts, self._graphs, self._weights = facts, graphs, weights
        entailed = folder.read(ENTAILED) if manifest.has_facts and ENTAILED in manifest.files else b""
        self._entailed = read_facts(entailed, manifest.model, ENTAILED)
        self.links = LinkDegrees(facts, self._rules, weights, self._entailed, self._scores)

    def on(self, facts: Facts) -> Evidence:
        """The same evidence on other facts of the same graph, of which no axiom entails others."""
        same = copy(self)
        same._facts, same._rules = facts, self._rules.on(facts)
        same.links = LinkDegrees(facts, same._rules, self._weights, self._entailed, same._scores)
        return same

    def reasons_of(self, head: int, relation: int, tail: int) -> LinkReasons:
        """What speaks for a link that is not recorded, and against it."""
        links = self.links
        return reasons_of(
            self._facts, self._entailed, self._rules, links.neighbours, links.ranges, head, relation, tail
        )

    def _scores(self, links: Sequence[tuple[int, int]]) -> npt.NDArray[Any]:
        heads, relations = np.array(links, np.int32).reshape(-1, 2).T.copy()
        (scores,) = self._graphs.run("links", heads=heads, relations=relations)
        if np.isnan(scores).any():
            raise FuzzError("runtime", "scores of links: expected numbers, got NaN", hint=CHECK)
        return scores
