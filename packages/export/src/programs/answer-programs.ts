import {
  linksSignature,
  projectSetAtSignature,
  projectSetSignature,
  rankSignature,
  type TensorSignature,
} from '@fuzzqe/bundle';
import { calibrationInput, joinRecorded, predictedDegrees, type Reached, reachedBy } from '@fuzzqe/core/sets';
import {
  concat,
  createProgram,
  type Dim,
  input,
  type Program,
  reshape,
  type Tensor,
} from '@fuzzqe/core/tensor';
import type { LinkLogits, ServedModel } from './served-model.ts';

/** The best of the allowed entities by an embedding; its signature is `rankSignature`. */
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

/** (9) The degrees that are predicted for links; its signature is `linksSignature`. */
export function linksProgram(model: ServedModel): Program {
  const [heads, relations, offsets] = inputsOf(linksSignature(model.config).inputs) as [
    Tensor,
    Tensor,
    Tensor,
  ];
  const { input: calibration, numbers } = calibrationInput();
  const logits = model.linkLogits(numbers.temperature, model.project(model.anchor(heads), relations));
  return createProgram({
    name: 'links',
    description: 'The degree of every entity as tail of a link, as far as it is predicted and not recorded.',
    inputs: [heads, relations, offsets, calibration],
    outputs: { degrees: predictedDegrees(numbers, logits, column(offsets)) },
  });
}

/** (10) The projection of a fuzzy set of entities; its signature is `projectSetSignature`. */
export function projectSetProgram(model: ServedModel): Program {
  return setProgram(model, 'projectSet', projectSetSignature(model.config).inputs, (temperature, projected) =>
    model.linkLogitsInParts(temperature, projected),
  );
}

/** The same for some entities alone; its signature is `projectSetAtSignature`. */
export function projectSetAtProgram(model: ServedModel): Program {
  const { inputs } = projectSetAtSignature(model.config);
  return setProgram(model, 'projectSetAt', inputs, (temperature, projected, candidates) => [
    model.linkLogitsAt(temperature, projected, candidates!),
  ]);
}

function setProgram(
  model: ServedModel,
  name: string,
  signature: readonly TensorSignature[],
  logitsOf: (temperature: Tensor, projected: Tensor, candidates?: Tensor) => readonly LinkLogits[],
): Program {
  const [heads, relation, offsets, membership, recorded, , candidates] = inputsOf(signature) as [
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor,
    Tensor | undefined,
  ];
  const { input: calibration, numbers } = calibrationInput();
  const projected = model.projectTogether(model.anchor(heads), relation);
  const parts = logitsOf(numbers.temperature, projected, candidates).map(({ logits, axis }) => {
    const along = axis === 0 ? column : row;
    const predicted = predictedDegrees(numbers, logits, along(offsets));
    return reachedBy(model.logic, { predicted, membership: along(membership) }, axis);
  });
  const whole = (of: keyof Reached): Tensor => {
    const rows = parts.map((part) => row(part[of]));
    return rows.length === 1 ? rows[0]! : concat(rows, 1);
  };
  const reached = { best: whole('best'), total: whole('total') };
  return createProgram({
    name,
    description: `What is reached from a fuzzy set of entities by a relation, through its members${candidates === undefined ? '' : ', of some entities'}.`,
    inputs: [
      ...[heads, relation, offsets, membership, recorded, calibration],
      ...(candidates === undefined ? [] : [candidates]),
    ],
    outputs: { degrees: joinRecorded(model.logic, numbers.support, reached, recorded) },
  });
}

const inputsOf = (signature: readonly TensorSignature[]): readonly Tensor[] =>
  signature.map(({ name, dtype, shape }) => input(name, dtype, shape));

/** Shapes: [n] → [n, 1]. */
const column = (values: Tensor): Tensor => reshape(values, [values.shape[0]!, 1]);

/** Shapes: [n], [n, 1] or [1, n] → [1, n]. */
const row = (values: Tensor): Tensor => {
  const [first, second] = values.shape as [Dim, Dim | undefined];
  return first === 1 ? values : reshape(values, [1, second === 1 || second === undefined ? first : second]);
};
