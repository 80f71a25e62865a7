import { createProgram, type Program, sizeOf, type Tensor } from '@fuzzqe/core/tensor';
import { fitsRowKernel, type RowKernelShape } from '../optimiser/adamw-row-kernel.ts';

/** A part of the gradient of a table: an output of the program, and where it stands in the gradient. */
export interface RowsPart {
  readonly table: string;
  readonly shape: readonly number[];
  /** In numbers. */
  readonly start: number;
}

/** A program whose gradients of tables are outputs in parts. */
export interface RowGradients {
  readonly program: Program;
  /** By table. */
  readonly shapes: ReadonlyMap<string, RowKernelShape>;
  /** By output. */
  readonly parts: ReadonlyMap<string, RowsPart>;
}

/**
 * Finds the gradients that come as rows of tables, and gives their parts outputs of their own instead of joining them.
 *
 * A table takes part where `fitsRowKernel` says so and the step fixes how many rows there are. Its parts are
 * `gradient.<table>.<part>`, and side by side they are `gradient.<table>`.
 */
export function rowGradients(gradients: Program, tables: Iterable<string>): RowGradients {
  const given = new Map(gradients.outputs.map(({ name, tensor }) => [name, tensor]));
  const outputs = new Map(given);
  const shapes = new Map<string, RowKernelShape>();
  const parts = new Map<string, RowsPart>();
  for (const table of tables) {
    const [rows, values] = [given.get(`rows.${table}`), given.get(`gradient.${table}`)];
    const { shape } = gradients.parameters.find(({ attributes }) => attributes.name === table) ?? {};
    if (rows === undefined || values === undefined || shape === undefined) continue;
    const [count, each] = [shape[0], rows.shape[0]];
    if (typeof count !== 'number' || typeof each !== 'number') continue;
    const kernel = { rows: count, width: sizeOf(shape.slice(1)), given: each };
    if (!fitsRowKernel(kernel)) continue;
    shapes.set(table, kernel);
    outputs.delete(`gradient.${table}`);
    let start = 0;
    for (const [at, part] of partsOf(values).entries()) {
      const name = `gradient.${table}.${at}`;
      outputs.set(name, part);
      parts.set(name, { table, shape: part.shape as readonly number[], start });
      start += sizeOf(part.shape);
    }
  }
  const { name, description, inputs } = gradients;
  const program = createProgram({ name, description, inputs, outputs: Object.fromEntries(outputs) });
  return { program, shapes, parts };
}

/** Tensors whose numbers, one after the other, are those of x. */
function partsOf(x: Tensor): readonly Tensor[] {
  const isJoined = x.op === 'concat' && x.attributes.axis === 0;
  return isJoined || x.op === 'reshape' ? x.inputs.flatMap(partsOf) : [x];
}
