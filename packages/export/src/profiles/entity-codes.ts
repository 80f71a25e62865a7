import {
  type Dim,
  integerMatmul,
  parameter,
  reshape,
  slice,
  type Tensor,
  transpose,
} from '@fuzzqe/core/tensor';
import type { ModelConfig } from '@fuzzqe/model';
import { panelsShape, panelWidth, placeInPanels } from './column-panels.ts';
import type { StoredTensor } from './profile.ts';

/**
 * How the codes of entities lie: as the matrix [d, |E|], which runtimes that have memory for it copy once to where they
 * multiply fast, or in panels of its columns, which are multiplied fast as they are.
 */
export type CodeLayout = 'matrix' | 'panels';

/** The codes of all entities, as programs read them. */
export interface EntityCodes {
  /** Products of rows with the codes of each entity. Shapes: uint8 [n, c, d] → int [n, c, |E|]. */
  product(rows: Tensor): Tensor;
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
export function entityCodeTable(config: ModelConfig, layout: CodeLayout): EntityCodes {
  const { name, shape, dtype } = entityCodesTensor(config, layout);
  const codes = parameter(name, shape, dtype);
  return layoutFor(config, layout) === 'matrix'
    ? { product: (rows) => integerMatmul(rows, codes) }
    : panelTable(config, codes);
}

function panelTable({ entities, dimension: d }: ModelConfig, codes: Tensor): EntityCodes {
  const [panels] = codes.shape as readonly [number, number, number];
  return {
    product(rows) {
      const [n, count] = rows.shape as [Dim, Dim, Dim];
      const products = integerMatmul(reshape(rows, ['rowsOfCodes', d]), codes);
      const inOrder = reshape(transpose(products, [1, 0, 2]), [n, count, panels * panelWidth]);
      return slice(inOrder, 0, entities, 2);
    },
  };
}
