import { createRandom } from '@fuzzqe/core';
import { createProgram, evaluate, gather, input, numeric, type Tensor } from '@fuzzqe/core/tensor';
import {
  anchorVectors,
  familyOf,
  logicOf,
  numericParameters,
  outerProjection,
  trainedParameters,
} from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import type { NamedTensors } from '../checkpoint/safetensors.ts';
import { isKGReasoningConfig, type KGReasoningModel, readKGReasoning } from './kgreasoning.ts';

const m = 3;
const sizes = { entityCount: 5, relationCount: 4 };
type Geo = 'vec' | 'box';
type Point = readonly number[];

/** A state dict by the names of KGReasoning, with offsets and biases on both sides of 0. */
function stateDict(geo: Geo): NamedTensors {
  const random = createRandom('kgreasoning', geo);
  const drawn = (...shape: readonly number[]) => ({
    shape,
    data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => random.normal()),
  });
  const net = (name: string) =>
    Object.fromEntries(
      ['layer1', 'layer2'].flatMap((layer) => [
        [`${name}.${layer}.weight`, drawn(m, m)],
        [`${name}.${layer}.bias`, drawn(m)],
      ]),
    );
  return {
    ...{ gamma: drawn(1), embedding_range: drawn(1) },
    ...{ entity_embedding: drawn(sizes.entityCount, m), relation_embedding: drawn(sizes.relationCount, m) },
    ...net('center_net'),
    ...(geo === 'box' ? { offset_embedding: drawn(sizes.relationCount, m), ...net('offset_net') } : {}),
  };
}

const configOf = (geo: string, more: object = {}): string =>
  JSON.stringify({ geo, hidden_dim: m, gamma: 24, box_mode: '(none,0.02)', ...more });
const read = (geo: Geo, tensors = stateDict(geo), config = configOf(geo)): KGReasoningModel =>
  readKGReasoning({ config, configPath: 'config.json', tensors, path: 'x.safetensors', ...sizes });

/** The distances of KGReasoning in plain numbers: of 2i, each branch of as many relations as are given. */
function expectedDistances(geo: Geo, tensors: NamedTensors, branches: readonly Branch[], activation: string) {
  const each = (of: (i: number) => number): number[] => Array.from({ length: m }, (_, i) => of(i));
  const row = (name: string, at: number): number[] => each((i) => tensors[name]!.data[at * m + i]!);
  const linear = (name: string, x: Point): number[] =>
    each((out) =>
      x.reduce(
        (sum, value, i) => sum + value * tensors[`${name}.weight`]!.data[out * m + i]!,
        tensors[`${name}.bias`]!.data[out]!,
      ),
    );
  const relu = (x: Point): number[] => x.map((value) => Math.max(value, 0));
  const pass = {
    none: (x: number) => x,
    relu: (x: number) => Math.max(x, 0),
    softplus: (x: number) => Math.log(1 + Math.exp(x)),
  };
  const plus = (a: Point, b: Point): number[] => each((i) => a[i]! + b[i]!);
  const points = branches.map(([anchor, ...path]) =>
    path.reduce((x, r) => plus(x, row('relation_embedding', r)), row('entity_embedding', anchor)),
  );
  const offsets = branches.map(([, ...path]) =>
    path.reduce(
      (x, r) =>
        geo === 'vec' ? x : plus(x, row('offset_embedding', r).map(pass[activation as keyof typeof pass])),
      each(() => 0),
    ),
  );
  let [centre, offset] = [points[0]!, offsets[0]!];
  if (branches.length > 1) {
    const weights = points.map((x) =>
      linear('center_net.layer2', relu(linear('center_net.layer1', x))).map(Math.exp),
    );
    const total = each((i) => weights.reduce((sum, weight) => sum + weight[i]!, 0));
    centre = each((i) => points.reduce((sum, x, at) => sum + (x[i]! * weights[at]![i]!) / total[i]!, 0));
    if (geo === 'box') {
      const seen = offsets.map((x) => relu(linear('offset_net.layer1', x)));
      const gate = linear(
        'offset_net.layer2',
        each((i) => seen.reduce((sum, x) => sum + x[i]! / seen.length, 0)),
      ).map((value) => 1 / (1 + Math.exp(-value)));
      offset = each((i) => gate[i]! * Math.min(...offsets.map((x) => x[i]!)));
    }
  }
  return Array.from({ length: sizes.entityCount }, (_, entity) => {
    const far = each((i) => Math.abs(row('entity_embedding', entity)[i]! - centre[i]!));
    const terms = far.map((value, i) =>
      geo === 'vec' ? value : Math.max(value - offset[i]!, 0) + 0.02 * Math.abs(Math.min(value, offset[i]!)),
    );
    return terms.reduce((sum, value) => sum + value, 0);
  });
}

/** An anchor, then its relations. */
type Branch = readonly [anchor: number, ...relations: number[]];

/** The distances of an imported model, by the programs of its family. */
function distances({ model, parameters }: KGReasoningModel, branches: readonly Branch[]): number[] {
  const trained = trainedParameters(model);
  const nodes = branches.map((branch, b) => branch.map((_, i) => input(`b${b}.${i}`, 'int', [1])));
  const rows = (table: Tensor, b: number, i: number): Tensor => gather(table, nodes[b]![i]!);
  const ends = branches.map((branch, b) =>
    branch
      .slice(1)
      .reduce<Tensor>(
        (x, _, i) =>
          outerProjection(model, { ...trained, coefficients: rows(trained.coefficients, b, i + 1) }, x),
        anchorVectors(model, rows(trained.entities, b, 0)),
      ),
  );
  const query = ends.reduce(logicOf(model, trained).conjunction);
  const outputs = { all: familyOf(model).distances!(model, query, trained.entities) };
  const program = createProgram({ name: 'distances', inputs: nodes.flat(), outputs });
  const ids = branches.flatMap((branch, b) =>
    branch.map((id, i) => [`b${b}.${i}`, numeric([1], Int32Array.of(id))] as const),
  );
  const feeds = { ...numericParameters(model, parameters), ...Object.fromEntries(ids) };
  return Array.from(evaluate(program, feeds)['all']!.data);
}

const queries: readonly (readonly Branch[])[] = [
  [[0, 0]],
  [[1, 3, 2]],
  [
    [0, 0],
    [2, 3],
  ],
  [
    [0, 1],
    [2, 3, 0],
    [4, 2],
  ],
];

describe.each([
  ['vec', 'none'],
  ['box', 'none'],
  ['box', 'relu'],
  ['box', 'softplus'],
] as const)('a state dict of geo %s with offsets through %s', (geo, activation) => {
  const tensors = stateDict(geo);
  const found = read(geo, tensors, configOf(geo, { box_mode: `(${activation},0.02)` }));

  it.each(queries.map((query) => [JSON.stringify(query), query] as const))(
    'has the distances of plain numbers: %s',
    (_, query) => {
      const expected = expectedDistances(geo, tensors, query, activation);
      distances(found, query).forEach((value, entity) => {
        expect(value).toBeCloseTo(expected[entity]!, 5);
      });
      // The control: another relation, and weights that were not transposed, lead elsewhere.
      const [[anchor, relation, ...rest], ...others] = query as [Branch, ...Branch[]];
      const wrong = distances(found, [[anchor, relation! ^ 1, ...rest], ...others]);
      expect(Math.abs(wrong[0]! - expected[0]!)).toBeGreaterThan(1e-3);
    },
  );

  it('says the family, the sizes and the settings', () => {
    const relationForm = geo === 'vec' ? 'gqe' : 'query2box';
    expect(found.model).toMatchObject({ relationForm, dimension: geo === 'vec' ? 12 : 36, entities: 5 });
    expect(found.settings).toMatchObject({ geo, hidden_dim: m, box_mode: `(${activation},0.02)` });
  });
});

describe('a state dict of geo beta', () => {
  const random = createRandom('beta');
  const drawn = (...shape: readonly number[]) => ({
    shape,
    data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => random.normal()),
  });
  const layer = (name: string, inputs: number, outputs: number) => ({
    [`${name}.weight`]: drawn(outputs, inputs),
    [`${name}.bias`]: drawn(outputs),
  });
  const tensors: NamedTensors = {
    ...{ gamma: drawn(1), embedding_range: drawn(1) },
    ...{
      entity_embedding: drawn(sizes.entityCount, 2 * m),
      relation_embedding: drawn(sizes.relationCount, m),
    },
    ...layer('center_net.layer1', 2 * m, 2 * m),
    ...layer('center_net.layer2', 2 * m, m),
    ...layer('projection_net.layer1', 3 * m, 4 * m),
    ...layer('projection_net.layer2', 4 * m, 4 * m),
    ...layer('projection_net.layer0', 4 * m, 2 * m),
  };
  const config = (more: object = {}): string => configOf('beta', { beta_mode: `(${4 * m},2)`, ...more });
  const readBeta = (text = config(), from = tensors): KGReasoningModel =>
    readKGReasoning({
      config: text,
      configPath: 'config.json',
      tensors: from,
      path: 'x.safetensors',
      ...sizes,
    });

  it.each([
    ['DNF', 'betae', 8 * m],
    ['DM', 'betaeDm', 4 * m],
  ])('is a model with ∨ as evaluate_union %s says', (evaluate_union, relationForm, dimension) => {
    expect(readBeta(config({ evaluate_union })).model).toMatchObject({ relationForm, dimension });
  });

  it('has the layers transposed, biases last, and those of the attention side by side', () => {
    const { parameters } = readBeta();
    const expectLayer = (
      table: Float32Array,
      name: string,
      {
        inputs,
        outputs,
        width = outputs,
        from = 0,
      }: Record<'inputs' | 'outputs', number> & { width?: number; from?: number },
    ): void => {
      for (let o = 0; o < outputs; o += 1) {
        for (let i = 0; i < inputs; i += 1)
          expect(table[i * width + from + o]).toBe(tensors[`${name}.weight`]!.data[o * inputs + i]);
        expect(table[inputs * width + from + o]).toBe(tensors[`${name}.bias`]!.data[o]);
      }
    };
    expectLayer(parameters.hopInput!, 'projection_net.layer1', { inputs: 3 * m, outputs: 4 * m });
    expectLayer(parameters.hopHidden!, 'projection_net.layer2', { inputs: 4 * m, outputs: 4 * m });
    expectLayer(parameters.hopOutput!, 'projection_net.layer0', { inputs: 4 * m, outputs: 2 * m });
    const attention = { inputs: 2 * m, width: 3 * m };
    expectLayer(parameters.setAttention!, 'center_net.layer1', { ...attention, outputs: 2 * m });
    expectLayer(parameters.setAttention!, 'center_net.layer2', { ...attention, outputs: m, from: 2 * m });
  });

  it('is refused with other layers, or with α and β that would be cut off', () => {
    expect(() => readBeta(config({ beta_mode: '(1600,2)' }))).toThrow(/\$\.beta_mode: expected \(12,2\)/);
    expect(() => readBeta(config({ beta_mode: '(12,3)' }))).toThrow(/\$\.beta_mode: expected \(12,2\)/);
    const large = { ...tensors['entity_embedding']!, data: tensors['entity_embedding']!.data.with(0, 2e5) };
    expect(() => readBeta(config(), { ...tensors, entity_embedding: large })).toThrow(
      'tensor "entity_embedding": expected α and β of at most 100000',
    );
  });
});

describe('a state dict that does not fit', () => {
  const { offset_embedding: _, ...withoutOffsets } = stateDict('box');
  const { relation_embedding, ...withoutRelations } = stateDict('vec');
  const flat = { shape: [m * m], data: new Float32Array(m * m) };

  it.each<[string, Geo, NamedTensors, string]>([
    ['lacks a tensor', 'box', withoutOffsets, 'tensor "offset_embedding": expected [4,3], got none'],
    [
      'has another shape',
      'vec',
      { ...stateDict('vec'), 'center_net.layer2.weight': flat },
      'tensor "center_net.layer2.weight": expected [3,3], got [9]',
    ],
    [
      'has relations without inverses',
      'vec',
      { ...withoutRelations, relation_embedding: { shape: [2, m], data: relation_embedding!.data.slice(6) } },
      'tensor "relation_embedding": expected [4,3], got [2,3]',
    ],
    [
      'is of another model',
      'vec',
      stateDict('box'),
      'tensor "offset_embedding": expected none of that name for geo vec',
    ],
  ])('is refused when it %s', (_, geo, tensors, message) => {
    expect(() => read(geo, tensors)).toThrow(
      expect.objectContaining({ code: 'checkpoint', path: 'x.safetensors', message }),
    );
  });

  it.each([
    [
      'another kind of model',
      configOf('cone'),
      /\$\.geo: .*expected one of "vec", "box", "beta", got "cone"/,
    ],
    ['no dimension', JSON.stringify({ geo: 'vec' }), /hidden_dim/],
    [
      'a dimension that is too large',
      configOf('box', { hidden_dim: 700 }),
      /at most 682 for geo box, got 700/,
    ],
    [
      'another weight within a box',
      configOf('box', { box_mode: '(none,0.5)' }),
      /\$\.box_mode: expected \(A,0\.02\) with A one of none, relu, softplus, got \(none,0\.5\)/,
    ],
    [
      'another activation',
      configOf('box', { box_mode: '(tanh,0.02)' }),
      /\$\.box_mode: expected \(A,0\.02\)/,
    ],
    ['a name of a prototype', configOf('box', { box_mode: '(constructor,0.02)' }), /\$\.box_mode/],
  ])('is refused with %s', (_, config, message) => {
    const geo = config.includes('"box"') ? 'box' : 'vec';
    expect(() => read(geo, stateDict(geo), config)).toThrow(
      expect.objectContaining({ code: 'config', message: expect.stringMatching(message) }),
    );
  });
});

it('a configuration of ours is told from one of KGReasoning', () => {
  expect(isKGReasoningConfig(configOf('beta'))).toBe(true);
  for (const text of ['{"dimension": 8}', '[]', 'geo', '{"geo": 1}'])
    expect(isKGReasoningConfig(text)).toBe(false);
});
