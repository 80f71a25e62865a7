import type { ChangedRows, IndexedGraph, KnowledgeGraph } from '@fuzzqe/core';
import type { Axiom } from '@fuzzqe/evidence';

/** The facts after a number of changes, as a message carries them. */
export interface FactsEpoch extends ChangedRows, Pick<KnowledgeGraph, 'entityCount' | 'relationCount'> {
  /** How many changes there were: 1, 2, 3, … */
  readonly epoch: number;
  /** The first epoch that requests may name from now on; 0 are the facts as opened. */
  readonly oldest: number;
  /** Whether requests may name epoch 0 as well, whatever the oldest. Default false. */
  readonly keepsOpened?: boolean;
  /** The index of the grown graph, and how often the graph has grown; undefined until the graph grows. */
  readonly grown: { readonly times: number; readonly index: KnowledgeGraph['index'] } | undefined;
  /**
   * p_e of the entities that came after the model [n, d]; equal elements until their facts say more.
   * Undefined without a model or such entities.
   */
  readonly vectors: Float32Array | undefined;
  /** The facts that declared axioms entail; undefined where the graph declares no such axioms. */
  readonly entailed: IndexedGraph | undefined;
  /** The axioms, by which other facts are entailed at other moments; undefined if every fact always holds. */
  readonly axioms?: readonly Axiom[] | undefined;
}
