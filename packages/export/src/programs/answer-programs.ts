import { linksSignature, rankSignature, type TensorSignature } from '@fuzzqe/bundle';
import { constant, createProgram, input, type Program, type Tensor } from '@fuzzqe/core/tensor';
import type { ServedModel } from './served-model.ts';

/**
 * The best of the allowed entities by an embedding; its signature is `rankSignature`.
 *
 * @example
 * const program = rankProgram(model);
 */
export function rankProgram(model: ServedModel): Program {
  const [embedding, allowed, k] = inputsOf(rankSignature(model.config).inputs) as [Tensor, Tensor, Tensor];
  return createProgram({
    name: 'rank',
    description:
      'The k best of the allowed entities and their scores, best first, ties to the lower id; others have −1.',
    inputs: [embedding, allowed, k],
    outputs: { ...model.ranking(embedding, allowed, k) },
  });
}

/**
 * The model's scores of links, logits at the temperature 1; its signature is `linksSignature`.
 *
 * @example
 * const program = linksProgram(model);
 */
export function linksProgram(model: ServedModel): Program {
  const [heads, relations] = inputsOf(linksSignature(model.config).inputs) as [Tensor, Tensor];
  return createProgram({
    name: 'links',
    description: 'The score of every entity as tail of a link, of which evidence makes its degree.',
    inputs: [heads, relations],
    outputs: { scores: model.linkLogits(one, model.project(model.anchor(heads), relations)) },
  });
}

/** The temperature of scores. */
const one = constant([1], [1]);

const inputsOf = (signature: readonly TensorSignature[]): readonly Tensor[] =>
  signature.map(({ name, dtype, shape }) => input(name, dtype, shape));
