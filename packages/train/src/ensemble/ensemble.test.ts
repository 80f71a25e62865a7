import { createKnowledgeGraph, createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import type { StructureName } from '@fuzzqe/core/query';
import { structureOf } from '@fuzzqe/data';
import { initialiseParameters, type ModelConfig, type Parameters, plainModel } from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import { float64Scorer } from '../testing/float64-scorer.ts';
import { ensembleOf, type WeightedModel } from './ensemble.ts';

const [entities, relations] = [61, 8];

const modelOf = (dimension: number, options: Partial<ModelConfig> = {}): ModelConfig => ({
  ...plainModel,
  ...{ dimension, entities, relations, relationForm: 'blocks', entityNormalisation: 'l1' },
  ...{ projectionInput: 'domain', negationLambda: -0.5 },
  ...options,
});

/** Parameters of the size that training gives them. */
function parametersOf(model: ModelConfig, seed: string): Parameters {
  const { entities: x, coefficients } = initialiseParameters(model, createRandom(seed));
  return { entities: x.map((value) => 8 * value), coefficients: coefficients.map((value) => 15 * value) };
}

const graph: KnowledgeGraph = (() => {
  const random = createRandom('facts');
  const draw = () => [random.below(entities), random.below(relations), random.below(entities)];
  const triples = Int32Array.from(Array.from({ length: 100 }, draw).flat());
  return createKnowledgeGraph({ entityCount: entities, relationCount: relations, triples });
})();

const models: readonly WeightedModel[] = [
  { path: 'first', model: modelOf(8), parameters: parametersOf(modelOf(8), 'first'), weight: 0.7 },
  { path: 'second', model: modelOf(14), parameters: parametersOf(modelOf(14), 'second'), weight: 0.3 },
];

/** 2d φ less its mean over entities, which leaves of the logits what tells entities apart. Shape: [rows, |E|]. */
async function logits(
  { model, parameters }: Pick<WeightedModel, 'model' | 'parameters'>,
  name: StructureName,
): Promise<number[][]> {
  const structure = structureOf<string>(name);
  const rows = 20;
  const random = createRandom('queries', name);
  const drawn = (count: number, bound: number) =>
    Int32Array.from({ length: rows * count }, () => random.below(bound));
  const anchors = drawn(structure.anchors, entities);
  const score = float64Scorer(model, graph, parameters);
  const scores = await score(structure, anchors, drawn(structure.relations, relations), rows);
  return Array.from({ length: rows }, (_, row) => {
    const own = Array.from(scores.subarray(row * entities, (row + 1) * entities));
    const mean = own.reduce((sum, score) => sum + score, 0) / entities;
    return own.map((score) => 2 * model.dimension * (score - mean));
  });
}

/** The largest distance from an ensemble's logits to the weighted sum of its models'. */
async function distance(
  ensemble: Pick<WeightedModel, 'model' | 'parameters'>,
  name: StructureName,
  of = models,
): Promise<number> {
  const each = await Promise.all(of.map((model) => logits(model, name)));
  const found = await logits(ensemble, name);
  return Math.max(
    ...found.flatMap((row, i) =>
      row.map((value, e) =>
        Math.abs(value - of.reduce((sum, { weight }, m) => sum + weight * each[m]![i]![e]!, 0)),
      ),
    ),
  );
}

describe('an ensemble', () => {
  const ensemble = ensembleOf(models);

  it('is a model whose dimension is that of all together', () => {
    expect(ensemble.model).toEqual(modelOf(22));
    expect(ensemble.parameters.entities).toHaveLength(entities * 22);
    expect(ensemble.parameters.coefficients).toHaveLength(relations * 22);
  });

  it.each(['1p', '2i', '3i', '2u', '2in', '3in'] as const)('adds up the logits of %s', async (name) => {
    const spread = Math.max(...(await logits(ensemble, name)).flat());
    expect(spread).toBeGreaterThan(0.2);
    expect(await distance(ensemble, name)).toBeLessThan(1e-5 * Math.max(1, spread));
  });

  it('adds up those of entities that have nearly all of themselves in one element', async () => {
    const skewed = models.map((each) => {
      const { dimension } = each.model;
      const peaked = each.parameters.entities.map((_, i) =>
        i % dimension === Math.floor(i / dimension) % dimension ? 6 : -4,
      );
      return { ...each, parameters: { ...each.parameters, entities: peaked } };
    });
    const found = ensembleOf(skewed);
    expect(found.parameters.entities.every(Number.isFinite)).toBe(true);
    const spread = Math.max(...(await logits(found, '1p')).flat());
    expect(spread).toBeGreaterThan(0.2);
    expect(await distance(found, '1p', skewed)).toBeLessThan(1e-5 * Math.max(1, spread));
  });

  it('does not where two relations are exchanged, or a weight is another', async () => {
    const coefficients = ensemble.parameters.coefficients.slice();
    coefficients.set(ensemble.parameters.coefficients.subarray(0, 22), 22);
    coefficients.set(ensemble.parameters.coefficients.subarray(22, 44), 0);
    const exchanged = { ...ensemble, parameters: { ...ensemble.parameters, coefficients } };
    expect(await distance(exchanged, '1p')).toBeGreaterThan(0.01);
    const [first, second] = models as [WeightedModel, WeightedModel];
    const others = ensembleOf([{ ...first, weight: 0.69 }, second]);
    expect(await distance(others, '1p')).toBeGreaterThan(1e-3);
  });

  it('ranks as its models do where they are one and the same', async () => {
    const [first] = models as [WeightedModel];
    const half = { ...first, weight: 0.5 };
    const twice = await logits(ensembleOf([half, half]), 'pni');
    const once = await logits(first, 'pni');
    const order = (row: readonly number[]) => row.map((_, e) => e).sort((a, b) => row[b]! - row[a]! || a - b);
    expect(twice.map(order)).toEqual(once.map(order));
  });

  it.each([
    ['bases', 'Matrices and layer normalisation mix all elements of a vector, so models by bases'],
    ['gqe', 'Scores of gqe are distances of whole vectors, so its models'],
    ['query2box', 'Scores of query2box are distances of whole vectors, so its models'],
  ] as const)('explains why models of %s do not add up', (relationForm, why) => {
    const other = { ...models[1]!, model: modelOf(14, { relationForm, projectionInput: 'l2' }) };
    expect(() => ensembleOf([models[0]!, other])).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(`${why} do not add up.`) }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses a weight of %d', (weight) => {
    const other = { ...models[1]!, weight };
    expect(() => ensembleOf([models[0]!, other])).toThrow(/weight: expected a number in \(0, 1\]/);
  });

  it.each([
    [{ relationForm: 'bases', projectionInput: 'l2' }, /relationForm: expected "blocks", got "bases"/],
    [{ projectionInput: 'lengthened' }, /projectionInput: expected .* got "lengthened"/],
    [{ logic: 'godel' }, /logic: expected product as of first, got godel/],
    [{ negationLambda: 0 }, /negationLambda: expected -0.5 as of first, got 0/],
    [{ entities: 60 }, /entities: expected 61 as of first, got 60/],
    [{ dimension: 8186 }, /at most 8192, got 8194 together/],
  ] as const)('refuses a model with %o, named', (options, message) => {
    const other = { ...models[1]!, model: modelOf(14, options) };
    expect(() => ensembleOf([models[0]!, other])).toThrow(message);
    expect(() => ensembleOf([models[0]!, other])).toThrow(
      expect.objectContaining({ code: 'config', path: expect.stringContaining('second') }),
    );
  });
});
