import { FuzzError, schema } from '@fuzzqe/core';
import {
  type FamilyName,
  largestDimension,
  type ModelConfig,
  type Parameters,
  plainModel,
} from '@fuzzqe/model';
import type { NamedTensors } from '../checkpoint/safetensors.ts';

/** What `config.json` of KGReasoning says of a model, by its own keys. */
export interface KGReasoningSettings {
  /** Which model: `vec` is GQE, `box` is Query2Box, `beta` is BetaE. */
  readonly geo: 'vec' | 'box' | 'beta';
  /** m: how many numbers an entity has. */
  readonly hidden_dim: number;
  /** Of a box: what its offsets pass through, and how much a distance within it counts, as `(none,0.02)`. */
  readonly box_mode: string;
  /** Of BetaE: the neurons of the hidden layers of a projection, and how many layers it has before its last, as `(1600,2)`. */
  readonly beta_mode: string;
  /** Of BetaE: ∨ by alternatives (`DNF`) or by ∧ and ¬ (`DM`). */
  readonly evaluate_union: 'DNF' | 'DM';
}

/** A model of KGReasoning as a model of ours. */
export interface KGReasoningModel {
  readonly model: ModelConfig;
  readonly parameters: Parameters;
  readonly settings: KGReasoningSettings;
}

/** What is read, and the entities and relations (with inverses) of the data set that it is for. */
export interface KGReasoningSource {
  /** The text of `config.json`, and its path. */
  readonly config: string;
  readonly configPath: string;
  /** The state dict, and its path. */
  readonly tensors: NamedTensors;
  readonly path: string;
  readonly entityCount: number;
  readonly relationCount: number;
}

/** How the models of one kind are mapped. */
interface Mapping {
  readonly relationForm: FamilyName;
  /** d / m of the family. */
  readonly parts: number;
  /** The shapes of the tensors that the state dict must have. */
  shapes(sizes: Sizes): Shapes;
  parameters(state: StateDict, settings: KGReasoningSettings, configPath: string): Parameters;
}

/** |E|, |R| with inverses, and m. */
interface Sizes {
  readonly entityCount: number;
  readonly relationCount: number;
  readonly width: number;
}
type Shapes = Readonly<Record<string, readonly number[]>>;

/** A state dict whose names and shapes are known to be right. */
interface StateDict {
  readonly path: string;
  readonly width: number;
  numbers(name: string): Float32Array;
}

/** How much a distance within a box counts in (8) of Query2Box. */
const insideWeight = 0.02;

/** What an offset passes through, as PyTorch computes it. */
const activations: Readonly<Record<string, (x: number) => number>> = {
  none: (x) => x,
  relu: (x) => Math.max(x, 0),
  softplus: (x) => (x > 20 ? x : Math.log1p(Math.exp(x))),
};

/** The largest α and β of BetaE here. */
const largestShape = 1e5;

/** BetaE, with ∨ of either kind. */
const betaMapping = (relationForm: 'betae' | 'betaeDm'): Mapping => ({
  relationForm,
  parts: relationForm === 'betae' ? 8 : 4,
  shapes: ({ entityCount, relationCount, width }) => ({
    entity_embedding: [entityCount, 2 * width],
    relation_embedding: [relationCount, width],
    ...layerShapes('center_net.layer1', 2 * width, 2 * width),
    ...layerShapes('center_net.layer2', 2 * width, width),
    ...layerShapes('projection_net.layer1', 3 * width, 4 * width),
    ...layerShapes('projection_net.layer2', 4 * width, 4 * width),
    ...layerShapes('projection_net.layer0', 4 * width, 2 * width),
  }),
  parameters(state, settings, configPath) {
    const { width, numbers } = state;
    const [, neurons, layers] = /^\(\s*(\d+)\s*,\s*(\d+)\s*\)$/.exec(settings.beta_mode) ?? [];
    if (Number(neurons) !== 4 * width || layers !== '2')
      throw settingsError(
        'beta_mode',
        `(${4 * width},2), four neurons for each of hidden_dim`,
        settings,
        configPath,
      );
    const entities = numbers('entity_embedding');
    if (entities.some((x) => x + 1 > largestShape))
      throw new FuzzError(
        'checkpoint',
        `tensor "entity_embedding": expected α and β of at most ${largestShape}`,
        {
          path: state.path,
          hint: 'FuzzQE has no larger ones: they would be cut off.',
        },
      );
    return {
      entities,
      coefficients: numbers('relation_embedding'),
      setAttention: rowsBeside(layerOf(state, 'center_net.layer1'), layerOf(state, 'center_net.layer2'), [
        2 * width,
        width,
      ]),
      hopInput: layerOf(state, 'projection_net.layer1'),
      hopHidden: layerOf(state, 'projection_net.layer2'),
      hopOutput: layerOf(state, 'projection_net.layer0'),
    };
  },
});

const mappings: Readonly<Record<KGReasoningSettings['geo'], Mapping>> = {
  vec: {
    relationForm: 'gqe',
    parts: 4,
    shapes: pointShapes,
    parameters: (state) => ({
      entities: state.numbers('entity_embedding'),
      coefficients: state.numbers('relation_embedding'),
      setAttention: layersOf(state, 'center_net'),
    }),
  },
  box: {
    relationForm: 'query2box',
    parts: 12,
    shapes: (sizes) => ({
      ...pointShapes(sizes),
      offset_embedding: [sizes.relationCount, sizes.width],
      ...netShapes('offset_net', sizes),
    }),
    parameters: (state, settings, configPath) => ({
      entities: state.numbers('entity_embedding'),
      coefficients: rowsBeside(
        state.numbers('relation_embedding'),
        state.numbers('offset_embedding').map(activationOf(settings, configPath)),
        [state.width, state.width],
      ),
      setAttention: layersOf(state, 'center_net'),
      setGate: layersOf(state, 'offset_net'),
    }),
  },
  beta: betaMapping('betae'),
};

const settingsSchema: schema.Schema<KGReasoningSettings> = schema.partOf({
  geo: schema.oneOf(['vec', 'box', 'beta']),
  hidden_dim: schema.integer({ min: 1 }),
  box_mode: schema.withDefault(schema.string, '(none,0.02)'),
  beta_mode: schema.withDefault(schema.string, '(1600,2)'),
  evaluate_union: schema.withDefault(schema.oneOf(['DNF', 'DM']), 'DNF'),
});

/** Whether JSON is a `config.json` of KGReasoning. */
export const isKGReasoningConfig = (text: string): boolean =>
  schema.recogniseJson(schema.partOf({ geo: schema.string }), text) !== undefined;

/**
 * Reads a state dict of KGReasoning as a model of the same distances: `vec` as GQE, `box` as Query2Box, `beta` as BetaE.
 *
 * Ids are those of the state dict, in which relation 2k + 1 is the inverse of 2k. An `nn.Linear` becomes its transpose and a row of biases.
 * Offsets pass through their activation once, here. `gamma` and `embedding_range` are for training only.
 * Shapes: as `docs/checkpoint-format.md` lists them.
 *
 * @throws FuzzError `config`: settings that no family has. `checkpoint`: a tensor that is missing, unknown or of another shape.
 */
export function readKGReasoning(source: KGReasoningSource): KGReasoningModel {
  const { config, configPath, entityCount, relationCount } = source;
  const where = { code: 'config', what: 'config.json of KGReasoning', path: configPath } as const;
  const settings = schema.parseJson(settingsSchema, config, where);
  const mapping =
    settings.geo === 'beta' && settings.evaluate_union === 'DM'
      ? betaMapping('betaeDm')
      : mappings[settings.geo];
  const { relationForm, parts } = mapping;
  const most = Math.floor(largestDimension / parts);
  if (settings.hidden_dim > most)
    throw settingsError('hidden_dim', `at most ${most} for geo ${settings.geo}`, settings, configPath);
  const shapes = mapping.shapes({ entityCount, relationCount, width: settings.hidden_dim });
  const state = stateDictOf(source, settings, shapes);
  const options = { relationForm, dimension: parts * settings.hidden_dim, projectionInput: 'raw' } as const;
  return {
    model: { ...plainModel, ...options, entities: entityCount, relations: relationCount },
    parameters: mapping.parameters(state, settings, configPath),
    settings,
  };
}

/** The shapes of a model whose entities are points. */
function pointShapes(sizes: Sizes): Shapes {
  const { entityCount, relationCount, width } = sizes;
  return {
    entity_embedding: [entityCount, width],
    relation_embedding: [relationCount, width],
    ...netShapes('center_net', sizes),
  };
}

/** The shapes of two layers of m neurons. */
function netShapes(net: string, { width }: Sizes): Shapes {
  return { ...layerShapes(`${net}.layer1`, width, width), ...layerShapes(`${net}.layer2`, width, width) };
}

/** The shapes of an `nn.Linear`. */
function layerShapes(layer: string, inputs: number, outputs: number): Shapes {
  return { [`${layer}.weight`]: [outputs, inputs], [`${layer}.bias`]: [outputs] };
}

/** Checks the names and shapes of a state dict. */
function stateDictOf(
  { tensors, path, entityCount, relationCount }: KGReasoningSource,
  { geo, hidden_dim: width }: KGReasoningSettings,
  shapes: Shapes,
): StateDict {
  for (const [name, shape] of Object.entries(shapes)) {
    const got = tensors[name]?.shape;
    if (got?.join() !== shape.join())
      throw new FuzzError(
        'checkpoint',
        `tensor "${name}": expected [${shape}], got ${got === undefined ? 'none' : `[${got}]`}`,
        {
          path,
          hint: `The data set has ${entityCount} entities and ${relationCount} relations with inverses, and config.json hidden_dim ${width}.`,
        },
      );
  }
  const known = [...Object.keys(shapes), 'gamma', 'embedding_range'];
  const other = Object.keys(tensors).find((name) => !known.includes(name));
  if (other !== undefined)
    throw new FuzzError('checkpoint', `tensor "${other}": expected none of that name for geo ${geo}`, {
      path,
      hint: 'Give config.json of the same run, and the state dict (model_state_dict) without the optimiser.',
    });
  return { path, width, numbers: (name) => tensors[name]!.data };
}

/** The two layers of a net of m neurons. Shapes: weight [m, m], bias [m] → [2, m + 1, m]. */
function layersOf(state: StateDict, net: string): Float32Array {
  const [first, second] = [layerOf(state, `${net}.layer1`), layerOf(state, `${net}.layer2`)];
  const layers = new Float32Array(first.length + second.length);
  layers.set(first);
  layers.set(second, first.length);
  return layers;
}

/** An `nn.Linear`, transposed, with its biases as the last row. Shapes: weight [o, i], bias [o] → [i + 1, o]. */
function layerOf({ numbers }: StateDict, name: string): Float32Array {
  const [weight, bias] = [numbers(`${name}.weight`), numbers(`${name}.bias`)];
  const outputs = bias.length;
  const inputs = weight.length / outputs;
  const layer = new Float32Array(weight.length + outputs);
  for (let i = 0; i < weight.length; i += 1)
    layer[(i % inputs) * outputs + Math.floor(i / inputs)] = weight[i]!;
  layer.set(bias, weight.length);
  return layer;
}

/** Rows of two tables side by side. Shapes: [n, a], [n, b] → [n, a + b]. */
function rowsBeside(
  left: Float32Array,
  right: Float32Array,
  [a, b]: readonly [number, number],
): Float32Array {
  const rows = new Float32Array(left.length + right.length);
  for (let row = 0; row * a < left.length; row += 1) {
    rows.set(left.subarray(row * a, (row + 1) * a), row * (a + b));
    rows.set(right.subarray(row * b, (row + 1) * b), row * (a + b) + a);
  }
  return rows;
}

/** What offsets pass through. Throws 'config': an activation or a weight that Query2Box has not. */
function activationOf(settings: KGReasoningSettings, path: string): (x: number) => number {
  const [, name = '', weight] = /^\(\s*(\w+)\s*,\s*([-+.\w]+)\s*\)$/.exec(settings.box_mode) ?? [];
  const activation = Object.hasOwn(activations, name) ? activations[name] : undefined;
  if (activation !== undefined && Number(weight) === insideWeight) return activation;
  const names = Object.keys(activations).join(', ');
  throw settingsError('box_mode', `(A,${insideWeight}) with A one of ${names}`, settings, path);
}

function settingsError(
  key: keyof KGReasoningSettings,
  expected: string,
  settings: KGReasoningSettings,
  path: string,
): FuzzError {
  return new FuzzError('config', `$.${key}: expected ${expected}, got ${`${settings[key]}`.slice(0, 100)}`, {
    path,
    hint: 'FuzzQE has no model with these distances.',
  });
}
