import { FuzzError } from '@fuzzqe/core';
import {
  createProgram,
  evaluate,
  input,
  type NumericTensors,
  numeric,
  type Program,
  type Tensor,
} from '@fuzzqe/core/tensor';
import {
  entityEmbedding,
  type ModelConfig,
  numericParameters,
  type Parameters,
  parameterShapes,
  relationWeights,
  trainedParameters,
} from '@fuzzqe/model';
import { type TableName, tableNamesOf, tableShape } from '../programs/tables.ts';
import { firstNotFinite, positionAt } from './check-parameters.ts';

/**
 * How many numbers one block has at most: half a MB of float64. Larger intermediate results outlive collections of young objects, and
 * a full collection for every few of them goes through all names each time: two thirds of the time at 10 million.
 */
const blockSize = 2 ** 16;
/** How many rows it has at least, whatever their size: each basis is read once for all of them. */
const leastRows = 8;

/** The rows of a table, in blocks. */
export type TableBlocks = () => Generator<Float32Array>;

/** Computes blocks of rows of a table. */
interface TableRows {
  readonly name: TableName;
  readonly program: Program;
  /** What one row is computed from: a row of this trained tensor. */
  readonly from: 'entities' | 'coefficients';
  readonly given: NumericTensors;
}

/**
 * The weights of a bundle from the trained tensors, row by row: equations (1) and (2), evaluated in float64 and
 * rounded to float32 once.
 *
 * W_r of a large model does not fit in memory next to its bases, so a table comes in blocks of whole rows.
 *
 * @throws FuzzError `checkpoint`: a number that is too large for float32.
 */
export function materialise(
  config: ModelConfig,
  parameters: Parameters,
): ReadonlyMap<TableName, TableBlocks> {
  const trained = trainedParameters(config);
  const { entities: _, coefficients: rows, ...given } = numericParameters(config, parameters);
  const coefficients = input('coefficients', 'float', ['rows', rows!.shape[1]!]);
  const free = input('entities', 'float', ['rows', config.dimension]);
  const table = relationWeights(config, { ...trained, coefficients });
  const ofRelations: Readonly<Partial<Record<TableName, Tensor>>> =
    table.form === 'blocks'
      ? { relationBlocks: table.blocks }
      : { relationWeights: table.weights, relationBiases: table.bias };
  const blocks = (name: TableName): TableBlocks => {
    const of = ofRelations[name];
    const result = of ?? entityEmbedding(config, free);
    const from = of === undefined ? 'entities' : 'coefficients';
    const program = createProgram({
      name,
      inputs: [of === undefined ? free : coefficients],
      outputs: { rows: result },
    });
    return () => rowsOf(config, parameters, { name, program, from, given });
  };
  return new Map(tableNamesOf(config).map((name) => [name, blocks(name)]));
}

function* rowsOf(
  config: ModelConfig,
  parameters: Parameters,
  { name, program, from, given }: TableRows,
): Generator<Float32Array> {
  const [rows, width] = parameterShapes(config)[from] as [number, number];
  const shape = tableShape(config, name);
  const rowSize = shape.slice(1).reduce((product, dimension) => product * dimension, 1);
  const rowsAtOnce = Math.max(leastRows, Math.floor(blockSize / rowSize));
  for (let start = 0; start < rows; start += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, rows - start);
    const source = numeric([count, width], parameters[from].subarray(start * width, (start + count) * width));
    const block = new Float32Array(evaluate(program, { ...given, [from]: source })['rows']!.data);
    const bad = firstNotFinite(block);
    if (bad >= 0)
      throw new FuzzError('checkpoint', `expected numbers that float32 can hold, got ${block[bad]}`, {
        path: positionAt(name, shape, start * rowSize + bad),
        hint: 'Training has diverged; export an earlier checkpoint.',
      });
    yield block;
  }
}
