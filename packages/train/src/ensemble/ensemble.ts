import { FuzzError } from '@fuzzqe/core';
import { familyOf, largestDimension, type ModelConfig, type Parameters } from '@fuzzqe/model';

/** A model that is to take part in an ensemble, and what errors call it. */
export interface EnsembleCandidate {
  readonly path: string;
  readonly model: ModelConfig;
}

/** A trained model, and what its logits count for in an ensemble. */
export interface WeightedModel extends EnsembleCandidate {
  readonly parameters: Parameters;
  readonly weight: number;
}

/**
 * One model by blocks whose logits are the weighted sum of those of several.
 *
 * With `y = d p_e − 1` of each model, `p_e(i) = (1 + w_m y_m(i)) / D` and `α_r = α_r,m / w_m` side by side, D = Σ d_m: every P_r(p_h) holds those
 * of the models, and `2D (φ(q, e) − mean S_q) = Σ_m w_m 2d_m (φ_m(q, e) − mean S_q,m)` for what operators make of them, too.
 * Shapes: entities [|E|, d_m], coefficients [|R|, d_m] → [|E|, D], [|R|, D]. Ranges: weights in (0, 1].
 *
 * @throws FuzzError `config`: the models are not of one graph and one form, are no blocks, lengthen what they project, or are too large together; a weight is
 * out of range.
 * Source: Xu et al., "Multiple Run Ensemble Learning with Low-Dimensional Knowledge Graph Embeddings" (IJCNN 2021), who add up scores.
 * @example
 * const first = { path: 'runs/a', model: trained.config, parameters: trained.parameters, weight: 0.5 };
 * const { model, parameters } = ensembleOf([first, { ...first, path: 'runs/b' }]);
 */
export function ensembleOf(models: readonly WeightedModel[]): {
  readonly model: ModelConfig;
  readonly parameters: Parameters;
} {
  const model = ensembleConfig(models);
  for (const { path, weight } of models)
    if (!(weight > 0 && weight <= 1))
      throw new FuzzError('config', `weight: expected a number in (0, 1], got ${weight}`, { path });
  const { entities: entityCount, relations: relationCount, dimension } = model;
  const entities = new Float32Array(entityCount * dimension);
  const row = new Float64Array(dimension);
  const places = placesOf(models.map((each) => each.model.dimension));
  for (let entity = 0; entity < entityCount; entity += 1) {
    let largest = 0;
    for (const [m, { model: of, parameters, weight }] of models.entries()) {
      const inside = Float64Array.from(
        parameters.entities.subarray(entity * of.dimension, (entity + 1) * of.dimension),
        sigmoid,
      );
      const mean = inside.reduce((sum, value) => sum + value, 0) / of.dimension;
      for (let i = 0; i < of.dimension; i += 1) {
        const value = 1 + weight * (inside[i]! / mean - 1);
        row[places[m]![i]!] = value;
        largest = Math.max(largest, value);
      }
    }
    // p_e is what the row is divided by its sum, so that its scale is free: around 1/2, where it has most digits, and short of 1.
    const scale = Math.min(1 / 2, 0.9 / largest);
    for (let i = 0; i < dimension; i += 1) entities[entity * dimension + i] = logit(scale * row[i]!);
  }
  const coefficients = new Float32Array(relationCount * dimension);
  for (const [m, { model: of, parameters, weight }] of models.entries())
    for (let relation = 0; relation < relationCount; relation += 1)
      for (let i = 0; i < of.dimension; i += 1)
        coefficients[relation * dimension + places[m]![i]!] =
          parameters.coefficients[relation * of.dimension + i]! / weight;
  return { model, parameters: { entities, coefficients } };
}

/**
 * The configuration of an ensemble.
 *
 * @throws FuzzError `config` as `ensembleOf` does, with the path of the model.
 */
export function ensembleConfig(candidates: readonly EnsembleCandidate[]): ModelConfig {
  const [first] = candidates;
  if (first === undefined) throw new FuzzError('config', 'expected models, got none');
  for (const { path, model } of candidates) {
    if (!familyOf(model).addsUp)
      throw new FuzzError('config', `model.relationForm: expected "blocks", got "${model.relationForm}"`, {
        path,
        hint: `${whyNoSum(model)} Train with the preset "links", or another by blocks.`,
      });
    if (model.projectionInput === 'lengthened')
      throw new FuzzError(
        'config',
        'model.projectionInput: expected "domain", "raw" or "l2", got "lengthened"',
        {
          path,
          hint: 'How far a vector is lengthened depends on all its elements, so such models do not add up.',
        },
      );
    for (const name of namesOf(model))
      if (model[name] !== first.model[name])
        throw new FuzzError(
          'config',
          `model.${name}: expected ${first.model[name]} as of ${first.path}, got ${model[name]}`,
          {
            path,
            hint: 'Models of an ensemble may differ in their dimension and in how they were trained, in nothing else.',
          },
        );
  }
  const dimension = candidates.reduce((sum, { model }) => sum + model.dimension, 0);
  if (dimension > largestDimension)
    throw new FuzzError(
      'config',
      `expected a dimension of at most ${largestDimension}, got ${dimension} together`,
      {
        path: candidates.map(({ path }) => path).join(', '),
        hint: 'Leave models out, or train smaller ones.',
      },
    );
  return { ...first.model, dimension };
}

/** Why the logits of two models of a family are not those of one model. */
function whyNoSum(model: ModelConfig): string {
  const { name, distances } = familyOf(model);
  return distances === undefined
    ? `Matrices and layer normalisation mix all elements of a vector, so models by ${name} do not add up.`
    : `Scores of ${name} are distances of whole vectors, so its models do not add up.`;
}

/** What models have to have alike: blocks know nothing of a number of bases. */
function namesOf(model: ModelConfig): readonly (keyof ModelConfig)[] {
  // as: the keys of an object of that type.
  const names = Object.keys(model) as (keyof ModelConfig)[];
  return names.filter((name) => name !== 'dimension' && name !== 'bases');
}

/** Where the elements of each model stand in the ensemble's vectors: first halves before second ones, as blocks pair them. */
function placesOf(dimensions: readonly number[]): readonly Int32Array[] {
  const half = dimensions.reduce((sum, each) => sum + each, 0) / 2;
  let before = 0;
  return dimensions.map((dimension) => {
    const own = dimension / 2;
    const start = before;
    before += own;
    return Int32Array.from({ length: dimension }, (_, i) => (i < own ? start + i : half + start + i - own));
  });
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const logit = (p: number): number => Math.log(p) - Math.log1p(-p);
