import { FuzzError } from '@fuzzqe/core';
import {
  createProgram,
  evaluate,
  input,
  type NumericTensors,
  numeric,
  type Program,
} from '@fuzzqe/core/tensor';
import {
  type FamilyTable,
  familyOf,
  type ModelConfig,
  numericParameters,
  type ParameterName,
  type Parameters,
  parameterShapes,
  type Tables,
  trainedParameters,
} from '@fuzzqe/model';
import { entityTable, tablesOf } from '../programs/tables.ts';
import { firstNotFinite, positionAt } from './check-parameters.ts';

/**
 * How many numbers one block has at most: half a MB of float64. Larger intermediate results outlive collections of young objects, and
 * a full collection for every few of them goes through all names each time: two thirds of the time at 10 million.
 */
const blockSize = 2 ** 16;
/** How many rows it has at least, whatever their size: each basis is read once for all of them. */
const leastRows = 8;

/** The rows of a table, in blocks. */
export type TableBlocks = () => Iterable<Float32Array>;

/** Computes blocks of rows of a table. */
interface TableRows {
  readonly name: string;
  readonly shape: readonly number[];
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
export function materialise(config: ModelConfig, parameters: Parameters): ReadonlyMap<string, TableBlocks> {
  const trained = trainedParameters(config);
  const { entities: _, coefficients: rows, ...given } = numericParameters(config, parameters);
  const coefficients = input('coefficients', 'float', ['rows', rows!.shape[1]!]);
  const family = familyOf(config);
  const free = input('entities', 'float', ['rows', family.parameters(config).entities[1]!]);
  const ofRelations: Tables = family.relationTables(config, { ...trained, coefficients });
  const blocks = ({ name, shape, isShared }: FamilyTable): TableBlocks => {
    // What all relations share is served as it was trained, by the same name.
    if (isShared === true) return () => [parameters[name as ParameterName]!];
    const of = ofRelations[name];
    const program = createProgram({
      name,
      inputs: [of === undefined ? free : coefficients],
      outputs: { rows: of ?? family.entity(config, free) },
    });
    const from = name === entityTable ? 'entities' : 'coefficients';
    return () => rowsOf(config, parameters, { name, shape, program, from, given });
  };
  return new Map(tablesOf(config).map((table) => [table.name, blocks(table)]));
}

function* rowsOf(
  config: ModelConfig,
  parameters: Parameters,
  { name, shape, program, from, given }: TableRows,
): Generator<Float32Array> {
  const [rows, width] = parameterShapes(config)[from] as [number, number];
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
