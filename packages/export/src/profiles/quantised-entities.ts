import {
  add,
  createProgram,
  type Dim,
  evaluate,
  gather,
  greaterOrEqual,
  input,
  matmul,
  max,
  maximum,
  minimum,
  mul,
  neg,
  numeric,
  parameter,
  pick,
  reshape,
  scalar,
  sizeOf,
  type Tensor,
  toFloat,
  toInt,
  topKIndices,
  topKValues,
  where,
} from '@fuzzqe/core/tensor';
import { familyOf, type ModelConfig, scoredEntity, traitsOf } from '@fuzzqe/model';
import { onlyAllowed, productsAroundMean } from '../programs/float-model.ts';
import { linkDirections } from '../programs/link-directions.ts';
import { servedCentroids } from '../programs/served-centroids.ts';
import type { ServedModel } from '../programs/served-model.ts';
import { inverseLengths, lengthsShape, lengthsTable } from '../programs/tables.ts';
import { balancedCodes } from './balanced-codes.ts';
import {
  type CodeLayout,
  type EntityCodes,
  entityCodesTensor,
  entityCodeTable,
  placeOfCode,
} from './entity-codes.ts';
import { bytesOfArray, halfTable, type StoredTensor, type TensorChunk } from './profile.ts';
import { quantiseRows } from './quantised-rows.ts';
import { residualProduct } from './residual-quantised-product.ts';
import { codeOf, scaleOf } from './symmetric-codes.ts';

/**
 * From so many dimensions a row that is compared by cosines needs no second code.
 *
 * Where two runtimes round a number of it to different codes, τ cos moves by about τ √3 / (127 d): at τ = 20 by 7·10⁻⁴ here, and
 * by 4·10⁻³ at d = 64. With blocks a row has few large numbers, and one code of them moves a logit more.
 */
const oneCodeDimension = 384;

/** How many entities get exact scores at least. */
const leastCandidates = 20;

/**
 * Entities in two forms: int8 codes, centred and a column each, for candidates and for links; float16 rows for anchors and
 * exact scores.
 *
 * Shapes: entityCodes int8 [d, |E|] or in panels, entityMean [d], entityRows float16 [|E|, d], entityScales [|E|]; where s_e of (8) is
 * not of length 1, `lengthsTable` [|E|].
 */
export function quantisedEntityTensors(config: ModelConfig, layout: CodeLayout): StoredTensor[] {
  const { entities, dimension: d } = config;
  return [
    entityCodesTensor(config, layout),
    ...(needsLengths(config)
      ? [{ name: lengthsTable, dtype: 'float', shape: [entities], entityAxis: 0 } as const]
      : []),
    { name: 'entityMean', dtype: 'float', shape: [d] },
    { name: 'entityRows', dtype: 'half', shape: [entities, d], entityAxis: 0 },
    { name: 'entityScales', dtype: 'float', shape: [entities], entityAxis: 0 },
  ];
}

/**
 * The tensors of `quantisedEntityTensors`: `s_e − s̄ ≈ scale_e · codes_e` with s_e of (8) and s̄ its mean over entities.
 *
 * Without s̄ every score lacks S·s̄, which is the same for all entities of a query, so candidates are the same, and cosines
 * get it back from `entityMean`; codes use their whole range for what tells entities apart.
 */
export function* quantisedEntities(
  config: ModelConfig,
  table: Float32Array,
  layout: CodeLayout,
): Generator<TensorChunk> {
  const { entities, dimension: d } = config;
  const scored = scoredTable(config, table);
  const mean = new Float64Array(d);
  for (let e = 0; e < entities; e += 1)
    for (let i = 0; i < d; i += 1) mean[i]! += scored[e * d + i]! / entities;
  const { isCentred } = traitsOf(config);
  const codes = new Int8Array(sizeOf(entityCodesTensor(config, layout).shape));
  const placeOf = placeOfCode(config, layout);
  // One for all entities, of which there may be millions.
  const centred = new Float64Array(d);
  const scales = new Float32Array(entities);
  for (let e = 0; e < entities; e += 1) {
    let largest = 0;
    for (let i = 0; i < d; i += 1) {
      centred[i] = scored[e * d + i]! - mean[i]!;
      largest = Math.max(largest, Math.abs(centred[i]!));
    }
    const scale = scaleOf(largest);
    scales[e] = scale;
    // Those of centred families sum to 0, and `aboveLeast` wants that of their codes as well.
    const balanced = isCentred ? balancedCodes(centred, scale) : undefined;
    for (let i = 0; i < d; i += 1) codes[placeOf(i, e)] = balanced?.[i] ?? codeOf(centred[i]!, scale);
  }
  yield { tensor: 'entityCodes', bytes: bytesOfArray(codes) };
  if (needsLengths(config))
    yield { tensor: lengthsTable, bytes: bytesOfArray(inverseLengths(config, table)) };
  yield { tensor: 'entityMean', bytes: bytesOfArray(Float32Array.from(mean)) };
  yield { tensor: 'entityRows', bytes: bytesOfArray(halfTable('entityRows', table)) };
  yield { tensor: 'entityScales', bytes: bytesOfArray(scales) };
}

/** In how many codes a row is that links to all entities are computed from. */
const codesOfLinks = (config: ModelConfig): 1 | 2 =>
  !traitsOf(config).isCentred && config.dimension >= oneCodeDimension ? 1 : 2;

/** Whether s_e of (8), which codes stand for, is not of length 1. */
function needsLengths(config: ModelConfig): boolean {
  return config.score === 'innerProduct' && lengthsShape(config) !== undefined;
}

/** s_e of every entity. Shapes: p_e [|E|, d] → [|E|, d]. */
function scoredTable(config: ModelConfig, table: Float32Array): ArrayLike<number> {
  if (config.score === 'innerProduct') return table;
  const rows = input('rows', 'float', [config.entities, config.dimension]);
  const outputs = { scored: scoredEntity(config, rows) };
  const program = createProgram({ name: 'scored', inputs: [rows], outputs });
  return evaluate(program, { rows: numeric([config.entities, config.dimension], table) })['scored']!.data;
}

/** The pieces of programs that read these tensors. */
export function quantisedEntityModel(
  config: ModelConfig,
  layout: CodeLayout,
): Pick<ServedModel, 'anchor' | 'ranking' | 'centroid' | 'linkLogits'> {
  const tensors = new Map(
    quantisedEntityTensors(config, layout).map(({ name, dtype, shape }) => [
      name,
      parameter(name, shape, dtype),
    ]),
  );
  const codes = entityCodeTable(config, layout);
  const [rows, scales, mean] = ['entityRows', 'entityScales', 'entityMean'].map(
    (name) => tensors.get(name)!,
  ) as [Tensor, Tensor, Tensor];
  const lengths = tensors.get(lengthsTable);
  const exact = (ids: Tensor): Tensor => toFloat(gather(rows, ids));
  const codesOfLink = codesOfLinks(config);
  /** Products of rows with the vectors of some entities of each. Shapes: [n, d], [n, c, d] → [n, c]. */
  const productsWith = (vectors: Tensor, x: Tensor): Tensor => {
    const [n, count] = vectors.shape as [Dim, Dim];
    return reshape(matmul(vectors, reshape(x, [n, config.dimension, 1])), [n, count]);
  };
  return {
    anchor: exact,
    ...servedCentroids(config, exact),
    ranking(embedding, allowed, k) {
      const candidates = candidatesOf(config, { codes, scales }, embedding, allowed, k);
      const vectors = scoredEntity(config, exact(candidates));
      const scores = productsAroundMean(config, embedding, (x) => productsWith(vectors, x));
      const open = onlyAllowed(scores, allowed && pick(allowed, candidates));
      return { ids: pick(candidates, topKIndices(open, k)), scores: topKValues(open, k) };
    },
    linkLogits(temperature, x) {
      // τ and the length are in the d numbers of a row, and so in its scale, instead of in all its products.
      const directions = linkDirections(config, temperature, x);
      const numbers = residualProduct(aboveLeast(config, directions), codesOfLink, codes.product);
      const products = add(mul(numbers, scales), matmul(directions, reshape(mean, [config.dimension, 1])));
      return lengths === undefined ? products : mul(products, lengths);
    },
  };
}

/**
 * Entities that are likely to be the best of those allowed, in the order of their ids, so that equal exact scores keep that
 * order.
 *
 * There are `max(20, 2k)` of them, or all. Shapes: embedding [n, d], allowed [n, |E|] → int [n, candidates].
 */
function candidatesOf(
  config: ModelConfig,
  table: { readonly codes: EntityCodes; readonly scales: Tensor },
  embedding: Tensor,
  allowed: Tensor | undefined,
  k: Tensor,
): Tensor {
  const wanted = maximum(mul(toFloat(k), scalar(2)), scalar(leastCandidates));
  const count = toInt(minimum(wanted, scalar(config.entities)));
  const centred = centredScores(config, table, embedding);
  const open =
    allowed === undefined ? centred : where(greaterOrEqual(allowed, scalar(0.5)), centred, scalar(belowAll));
  const best = topKIndices(open, count, 'candidates');
  return toInt(neg(topKValues(neg(toFloat(best)), count, 'candidates')));
}

/** Scores of all entities by codes, less what they have alike and by a positive factor of the row's. Shapes: embedding [n, d] → [n, |E|]. */
function centredScores(
  config: ModelConfig,
  { codes, scales }: { readonly codes: EntityCodes; readonly scales: Tensor },
  embedding: Tensor,
): Tensor {
  const [n, d] = embedding.shape as [Dim, Dim];
  const rows = quantiseRows(aboveLeast(config, embedding));
  const products = toFloat(codes.product(reshape(rows.codes, [n, 1, d])));
  // The row's own scale is a positive factor of all its scores: it changes no order.
  return mul(reshape(products, [n, config.entities]), scales);
}

/**
 * What codes of a row stand for: the row, or with blocks what it has beyond its least element.
 *
 * Codes of an entity sum to 0 there, so no product with them changes, and those of the row use their range for what tells
 * entities apart: S lies close to 1/2 everywhere. Shapes: [n, d] → [n, d] ≥ 0.
 */
function aboveLeast(config: ModelConfig, x: Tensor): Tensor {
  return traitsOf(config).isCentred ? add(x, max(neg(x), [-1])) : x;
}

/** Centred scores may be negative: nothing of a sum of codes is below this. */
const belowAll = -1e30;

/** Sums of products of codes are int32: 127·127 a term. */
const mostDimensions = Math.floor((2 ** 31 - 1) / (127 * 127));
/** Candidates are sorted as float32, which holds every id up to here. */
const mostEntities = 2 ** 24;

/** Why whole numbers cannot hold a model; undefined where they can. All logics keep vectors in [0, 1], as codes need. */
export function quantisedRefusal(config: ModelConfig): string | undefined {
  const { entities, dimension } = config;
  if (familyOf(config).distances !== undefined)
    return `scores of ${familyOf(config).name} are distances, and its codes give products`;
  if (familyOf(config).positive !== undefined)
    return `vectors of ${familyOf(config).name} may be negative, and its codes are of numbers ≥ 0`;
  if (entities > mostEntities)
    return `it sorts ids of at most ${mostEntities} entities, the model has ${entities}`;
  if (dimension > mostDimensions)
    return `its sums hold at most ${mostDimensions} dimensions, the model has ${dimension}`;
  return undefined;
}
