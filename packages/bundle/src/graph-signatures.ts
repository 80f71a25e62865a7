import { fieldsPerTerm, type StructureName, structures, termsPerValue } from '@fuzzqe/core/query';
import type { Dim, DType } from '@fuzzqe/core/tensor';
import type { ModelConfig } from '@fuzzqe/model';
import type { OperatorName, TensorSignature } from './manifest.ts';

/** What a graph of a bundle takes and gives, in the order of its ONNX file. */
export interface GraphSignature {
  readonly inputs: readonly TensorSignature[];
  readonly outputs: readonly TensorSignature[];
}

const tensor = (name: string, dtype: DType, ...shape: readonly Dim[]): TensorSignature => ({
  name,
  dtype,
  shape,
});

/**
 * The signature of an operator graph.
 *
 * An input has no name that an output has, because an ONNX graph has one set of names: what a unary operator takes
 * is its `operand`.
 */
export function operatorSignature(
  { dimension }: ModelConfig,
  name: OperatorName | 'centroid',
): GraphSignature {
  const vector = (of: string): TensorSignature => tensor(of, 'float', 'batch', dimension);
  const embedding = [vector('embedding')];
  switch (name) {
    case 'anchor':
      return { inputs: [tensor('entities', 'int', 'batch')], outputs: embedding };
    case 'project':
    case 'centroid':
      return { inputs: [vector('operand'), tensor('relations', 'int', 'batch')], outputs: embedding };
    case 'conjunction':
    case 'disjunction':
      return { inputs: [vector('left'), vector('right')], outputs: embedding };
    case 'negation':
      return { inputs: [vector('operand')], outputs: embedding };
  }
}

/** The signature of a structure graph: one row of anchors and one of relations for each query. */
export function structureSignature({ dimension }: ModelConfig, name: StructureName): GraphSignature {
  const { anchors, relations } = structures[name];
  return {
    inputs: [tensor('anchors', 'int', 'batch', anchors), tensor('relations', 'int', 'batch', relations)],
    outputs: [tensor('embedding', 'float', 'batch', dimension)],
  };
}

/**
 * The signature of the program graph: the plan of `planProgram`.
 *
 * @example
 * const { inputs, outputs } = programSignature(trained.config);
 */
export function programSignature({ dimension }: ModelConfig): GraphSignature {
  const terms = (name: string, rows: string): TensorSignature =>
    tensor(name, 'int', rows, termsPerValue, fieldsPerTerm);
  return {
    inputs: [
      tensor('anchors', 'int', 'first'),
      tensor('firstRelations', 'int', 'first'),
      terms('secondTerms', 'second'),
      tensor('secondRelations', 'int', 'second'),
      terms('thirdTerms', 'third'),
      tensor('thirdRelations', 'int', 'third'),
      terms('answerTerms', 'batch'),
    ],
    outputs: [tensor('embedding', 'float', 'batch', dimension)],
  };
}

/** How many anchors and relations a row of the edge graph has: as many as the largest structure. */
export const edgeSlots = 3;

/**
 * The signature of the edge graph: the place of a structure among `structureNames`, and rows filled up with zeros.
 *
 * @example
 * const { inputs, outputs } = edgeSignature(trained.config);
 */
export function edgeSignature({ dimension }: ModelConfig): GraphSignature {
  return {
    inputs: [
      tensor('structure', 'int', 1),
      tensor('anchors', 'int', 'batch', edgeSlots),
      tensor('relations', 'int', 'batch', edgeSlots),
    ],
    outputs: [tensor('embedding', 'float', 'batch', dimension)],
  };
}

/**
 * The signature of the ranking: `allowed` is 1 for an entity that may be an answer and 0 for others, and a score below
 * −0.5 marks one that was not allowed.
 *
 * @example
 * const { inputs, outputs } = rankSignature(trained.config);
 */
export function rankSignature({ dimension, entities }: ModelConfig): GraphSignature {
  return {
    inputs: [
      tensor('embedding', 'float', 'batch', dimension),
      tensor('allowed', 'float', 'batch', entities),
      tensor('k', 'int', 1),
    ],
    outputs: [tensor('ids', 'int', 'batch', 'k'), tensor('scores', 'float', 'batch', 'k')],
  };
}

/** The signature of the model's scores of links, a row each: logits at the temperature 1, of which (9) makes degrees. */
export function linksSignature({ entities }: ModelConfig): GraphSignature {
  return {
    inputs: [tensor('heads', 'int', 'links'), tensor('relations', 'int', 'links')],
    outputs: [tensor('scores', 'float', 'links', entities)],
  };
}
