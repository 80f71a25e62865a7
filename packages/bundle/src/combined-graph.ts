import type { Dim, DType } from '@fuzzqe/core/tensor';
import type { ModelConfig } from '@fuzzqe/model';
import type { GraphSignature } from './graph-signatures.ts';
import { type OperatorName, operatorNames, type TensorSignature } from './manifest.ts';

/** The graphs of a combined graph, apart from operators. */
const ownCases = ['rank', 'links', 'centroid'] as const;

/**
 * A graph of a profile that is a case of a combined graph.
 *
 * Structures are none: operators embed them, and fifteen graphs more take a Worker most of its start.
 */
export type CombinedCase = OperatorName | (typeof ownCases)[number];

/** The cases of a combined graph, by the number that chooses them; the last is there where a model has centroids. */
export const combinedCases: readonly CombinedCase[] = [...operatorNames, ...ownCases];

/** The number of a case; below 0 where a graph is none. */
export function combinedCaseOf(name: string): number {
  const names: readonly string[] = combinedCases;
  return names.indexOf(name);
}

const tensor = (name: string, dtype: DType, ...shape: readonly Dim[]): TensorSignature => ({
  name,
  dtype,
  shape,
});

/**
 * The signature of a combined graph: each input is there for the cases that name it in `combinedNames`, and any value of its
 * form does for the others. A case that gives no `best` gives a zero there.
 */
export function combinedSignature({ dimension, entities }: ModelConfig): GraphSignature {
  return {
    inputs: [
      tensor('case', 'int', 1),
      tensor('left', 'float', 'rows', dimension),
      tensor('right', 'float', 'rows', dimension),
      tensor('heads', 'int', 'rows'),
      tensor('along', 'int', 'rows'),
      tensor('number', 'int', 1),
      tensor('allowed', 'float', 'rows', entities),
    ],
    outputs: [tensor('numbers', 'float', 'rows', 'columns'), tensor('best', 'int', 'rows', 'k')],
  };
}

/** How inputs and outputs of a graph are called where it is a case of a combined one. */
export interface CaseNames {
  readonly inputs: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
}

const embedding = { embedding: 'numbers' };
const pair: CaseNames = { inputs: { left: 'left', right: 'right' }, outputs: embedding };

/** Of every case of a combined graph. */
export const combinedNames: Readonly<Record<CombinedCase, CaseNames>> = {
  anchor: { inputs: { entities: 'heads' }, outputs: embedding },
  project: { inputs: { operand: 'left', relations: 'along' }, outputs: embedding },
  conjunction: pair,
  disjunction: pair,
  negation: { inputs: { operand: 'left' }, outputs: embedding },
  centroid: { inputs: { operand: 'left', relations: 'along' }, outputs: embedding },
  rank: {
    inputs: { embedding: 'left', allowed: 'allowed', k: 'number' },
    outputs: { ids: 'best', scores: 'numbers' },
  },
  links: { inputs: { heads: 'heads', relations: 'along' }, outputs: { scores: 'numbers' } },
};
