import { constant, createProgram, input, type Program } from '@fuzzqe/core/tensor';
import type { ServedModel } from '../../programs/served-model.ts';
import { column } from '../../programs/structure-programs.ts';

/** The model's scores of links at the temperature 1, a link a row. Shapes: heads, relations [batch, 1] → scores [batch, |E|]. */
export function linksRowsProgram(model: ServedModel): Program {
  const heads = input('heads', 'int', ['batch', 1]);
  const relations = input('relations', 'int', ['batch', 1]);
  const projected = model.project(model.anchor(column(heads, 0)), column(relations, 0));
  return createProgram({
    name: 'links',
    description: 'The score of every entity as tail of a link, of which evidence makes its degree.',
    inputs: [heads, relations],
    outputs: { scores: model.linkLogits(constant([1], [1]), projected) },
  });
}
