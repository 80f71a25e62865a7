import type { ModelConfig } from '@fuzzqe/core/model';
import {
  add,
  constant,
  type Dim,
  gather,
  integerMatmul,
  mul,
  parameter,
  pick,
  reshape,
  round,
  scalar,
  slice,
  sub,
  type Tensor,
  toFloat,
  toInt,
  transpose,
} from '@fuzzqe/core/tensor';
import { panelsShape, panelWidth, placeInPanels } from './column-panels.ts';
import type { StoredTensor } from './profile.ts';

/**
 * How the codes of entities lie: as the matrix [d, |E|], which runtimes that have memory for it copy once to where they
 * multiply fast, or in panels of its columns, which are multiplied fast as they are.
 */
export type CodeLayout = 'matrix' | 'panels';

/** The codes of some entities, or of all. */
export interface EntityCodes {
  /** Products of rows with the codes of each entity. Shapes: uint8 [n, c, d] → int [n, c, entities]. */
  product(rows: Tensor): Tensor;
  /** What a table has for these entities. Shapes: [|E|] → [entities]. */
  choose(table: Tensor): Tensor;
}

/** The codes of all entities, as programs read them. */
export interface EntityCodeTable {
  readonly all: EntityCodes;
  /** In so many parts of about the same size: each is a copy of its codes at every run. */
  parts(count: number): readonly EntityCodes[];
  /** Those of the entities `candidates` [c]. */
  at(candidates: Tensor): EntityCodes;
}

/** float32 holds every place in panels up to here. */
const mostPlaces = 2 ** 24;

/** The layout that a model gets where panels are wanted. */
function layoutFor({ entities, dimension }: ModelConfig, wanted: CodeLayout): CodeLayout {
  const [panels] = panelsShape(dimension, entities);
  return panels * panelWidth * dimension <= mostPlaces ? wanted : 'matrix';
}

/** The tensor of the codes. */
export function entityCodesTensor(config: ModelConfig, layout: CodeLayout): StoredTensor {
  const { entities, dimension: d } = config;
  const stored = { name: 'entityCodes', dtype: 'int8', entityAxis: 1 } as const;
  return layoutFor(config, layout) === 'matrix'
    ? { ...stored, shape: [d, entities] }
    : { ...stored, shape: panelsShape(d, entities), columns: entities };
}

/** Where the code of an entity in a dimension lies. */
export function placeOfCode(
  config: ModelConfig,
  layout: CodeLayout,
): (dimension: number, entity: number) => number {
  const { entities, dimension: d } = config;
  return layoutFor(config, layout) === 'matrix'
    ? (i, e) => i * entities + e
    : (i, e) => placeInPanels(d, i, e);
}

/** The codes of all entities from their tensor. */
export function entityCodeTable(config: ModelConfig, layout: CodeLayout): EntityCodeTable {
  const { name, shape, dtype } = entityCodesTensor(config, layout);
  const codes = parameter(name, shape, dtype);
  return layoutFor(config, layout) === 'matrix' ? matrixTable(config, codes) : panelTable(config, codes);
}

function matrixTable({ entities, dimension: d }: ModelConfig, codes: Tensor): EntityCodeTable {
  const range = (from: number, to: number): EntityCodes => ({
    product: (rows) => integerMatmul(rows, slice(codes, from, to, 1)),
    choose: (table) => slice(table, from, to, 0),
  });
  return {
    all: range(0, entities),
    parts: (count) => rangesOf(entities, count, 1).map(([from, to]) => range(from, to)),
    at(candidates) {
      const [count] = candidates.shape as [Dim];
      const columns = toInt(add(toFloat(reshape(candidates, [1, count])), zeroColumn(d)));
      return {
        product: (rows) => integerMatmul(rows, pick(codes, columns)),
        choose: (table) => gather(table, candidates),
      };
    },
  };
}

function panelTable({ entities, dimension: d }: ModelConfig, codes: Tensor): EntityCodeTable {
  const [panels] = codes.shape as readonly [number, number, number];
  const range = (from: number, to: number): EntityCodes => {
    const last = Math.min(to, entities);
    const used = Math.ceil(last / panelWidth);
    const chosen = slice(codes, from / panelWidth, used, 0);
    const width = used * panelWidth - from;
    return {
      product(rows) {
        const [n, count] = rows.shape as [Dim, Dim, Dim];
        const products = integerMatmul(reshape(rows, ['rowsOfCodes', d]), chosen);
        const inOrder = reshape(transpose(products, [1, 0, 2]), [n, count, width]);
        return slice(inOrder, 0, last - from, 2);
      },
      choose: (table) => slice(table, from, last, 0),
    };
  };
  return {
    all: range(0, entities),
    parts: (count) => rangesOf(panels * panelWidth, count, panelWidth).map(([from, to]) => range(from, to)),
    at(candidates) {
      const [count] = candidates.shape as [Dim];
      // The panel is ⌊e / width⌋, which no e is halfway from, and the place `(panel · (d − 1) + i) · width + e`.
      const ids = toFloat(reshape(candidates, [1, count]));
      const panel = round(mul(sub(ids, scalar((panelWidth - 1) / 2)), scalar(1 / panelWidth)));
      const rows = constant(
        Array.from({ length: d }, (_, i) => i * panelWidth),
        [d, 1],
      );
      const places = add(add(mul(panel, scalar((d - 1) * panelWidth)), rows), ids);
      const flat = reshape(codes, [1, panels * d * panelWidth]);
      const columns = reshape(pick(flat, toInt(reshape(places, [1, 'places']))), [d, count]);
      return {
        product: (codesOfRows) => integerMatmul(codesOfRows, columns),
        choose: (table) => gather(table, candidates),
      };
    },
  };
}

const zeroColumn = (rows: number): Tensor => constant(new Array<number>(rows).fill(0), [rows, 1]);

/** `total` in so many ranges, or fewer, that begin at multiples of `unit`. */
function rangesOf(total: number, count: number, unit: number): readonly (readonly [number, number])[] {
  const size = Math.ceil(total / count / unit) * unit;
  return Array.from({ length: Math.ceil(total / size) }, (_, i): [number, number] => [
    i * size,
    Math.min(total, (i + 1) * size),
  ]);
}
