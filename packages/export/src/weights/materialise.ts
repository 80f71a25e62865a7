import { FuzzError } from '@fuzzqe/core';
import {
  entityEmbedding,
  type ModelConfig,
  type Parameters,
  parameterShapes,
  relationWeights,
  trainedParameters,
} from '@fuzzqe/core/model';
import {
  createProgram,
  evaluate,
  input,
  type NumericTensors,
  numeric,
  type Program,
  type Tensor,
} from '@fuzzqe/core/tensor';
import { type TableName, tableShapes } from '../programs/tables.ts';
import { firstNotFinite, positionAt } from './check-parameters.ts';

/**
 * How many numbers one block has at most: half a MB of float64. Larger intermediate results outlive collections of young objects, and
 * a full collection for every few of them goes through all names each time: two thirds of the time at 10 million.
 */
const blockSize = 2 ** 16;
/** How many rows it has at least, whatever their size: each basis is read once for all of them. */
const leastRows = 8;

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
 * W_r of a large model does not fit in memory beside its bases, so a table comes in blocks of whole rows.
 *
 * @throws FuzzError `checkpoint`: a number that is too large for float32.
 */
export function materialise(
  config: ModelConfig,
  parameters: Parameters,
): Readonly<Record<TableName, () => Generator<Float32Array>>> {
  const shapes = parameterShapes(config);
  const { bases, biasBases } = trainedParameters(config);
  const coefficients = input('coefficients', 'float', ['rows', config.bases]);
  const free = input('entities', 'float', ['rows', config.dimension]);
  const relations = relationWeights(config, coefficients, bases, biasBases);
  const program = (name: TableName, from: Tensor, rows: Tensor): Program =>
    createProgram({ name, inputs: [from], outputs: { rows } });
  const values = { bases: numeric(shapes.bases, parameters.bases) };
  const biasValues = { biasBases: numeric(shapes.biasBases, parameters.biasBases) };
  const tables: Readonly<Record<TableName, Omit<TableRows, 'name'>>> = {
    entityEmbeddings: {
      program: program('entityEmbeddings', free, entityEmbedding(config, free)),
      from: 'entities',
      given: {},
    },
    relationWeights: {
      program: program('relationWeights', coefficients, relations.weights),
      from: 'coefficients',
      given: values,
    },
    relationBiases: {
      program: program('relationBiases', coefficients, relations.bias),
      from: 'coefficients',
      given: biasValues,
    },
  };
  const blocks = (name: TableName) => (): Generator<Float32Array> =>
    rowsOf(config, parameters, { name, ...tables[name] });
  return {
    entityEmbeddings: blocks('entityEmbeddings'),
    relationWeights: blocks('relationWeights'),
    relationBiases: blocks('relationBiases'),
  };
}

function* rowsOf(
  config: ModelConfig,
  parameters: Parameters,
  { name, program, from, given }: TableRows,
): Generator<Float32Array> {
  const [rows, width] = parameterShapes(config)[from] as [number, number];
  const shape = tableShapes(config)[name];
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
