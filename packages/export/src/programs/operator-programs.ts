import { type OperatorGraphs, type OperatorName, operatorNames } from '@fuzzqe/bundle';
import { createProgram, input, type Program, type Tensor } from '@fuzzqe/core/tensor';
import type { ServedModel } from './served-model.ts';

/**
 * The operators as programs, which compose to any query tree; signatures are those of `operatorSignature`.
 *
 * @example
 * const { project, conjunction } = operatorPrograms(model);
 */
export function operatorPrograms(
  model: ServedModel,
): Readonly<Record<keyof OperatorGraphs, Program | undefined>> & Readonly<Record<OperatorName, Program>> {
  // Every name gets a program, which is what the record says.
  const programs = Object.fromEntries(
    operatorNames.map((name) => [name, operatorProgram(model, name)]),
  ) as unknown as Record<OperatorName, Program>;
  return { ...programs, centroid: centroidProgram(model) };
}

function centroidProgram({ config, centroid }: ServedModel): Program | undefined {
  const operand = input('operand', 'float', ['batch', config.dimension]);
  const relations = input('relations', 'int', ['batch']);
  if (centroid === undefined) return undefined;
  return createProgram({
    name: 'centroid',
    description:
      "The centroid of a relation's recorded heads as a fuzzy set ranks them, from which its projection starts.",
    inputs: [operand, relations],
    outputs: { embedding: centroid(operand, relations) },
  });
}

function operatorProgram(model: ServedModel, name: OperatorName): Program {
  const { config, logic } = model;
  const vector = (of: string): Tensor => input(of, 'float', ['batch', config.dimension]);
  const ids = (of: string): Tensor => input(of, 'int', ['batch']);
  const unary = (description: string, inputs: readonly Tensor[], embedding: Tensor): Program =>
    createProgram({ name, description, inputs, outputs: { embedding } });

  switch (name) {
    case 'anchor': {
      const entities = ids('entities');
      return unary('The embedding of an entity, p_e.', [entities], model.anchor(entities));
    }
    case 'project': {
      const [operand, relations] = [vector('operand'), ids('relations')];
      return unary(
        'What is reached from a fuzzy set of entities by a relation, one relation for each row.',
        [operand, relations],
        model.project(operand, relations),
      );
    }
    case 'conjunction':
    case 'disjunction': {
      const [left, right] = [vector('left'), vector('right')];
      const what = name === 'conjunction' ? 'What is in both of two' : 'What is in at least one of two';
      return unary(`${what} fuzzy sets, by ${logic.name} logic.`, [left, right], logic[name](left, right));
    }
    case 'negation': {
      const operand = vector('operand');
      return unary('What is not in a fuzzy set.', [operand], logic.negation(operand));
    }
  }
}
