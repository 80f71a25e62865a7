import type { ChangedRows, IndexedGraph } from '@fuzzqe/core';

/** The facts after a number of changes, as a message carries them. */
export interface FactsEpoch extends ChangedRows {
  /** How many changes there were: 1, 2, 3, … */
  readonly epoch: number;
  /** The first epoch that requests may name from now on; 0 are the facts as opened. */
  readonly oldest: number;
  /** The facts that declared axioms entail; undefined where the graph declares no such axioms. */
  readonly entailed: IndexedGraph | undefined;
}
