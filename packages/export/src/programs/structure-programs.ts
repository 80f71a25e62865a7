import { type StructureName, structures } from '@fuzzqe/core/query';
import { createProgram, input, type Program, reshape, slice, type Tensor } from '@fuzzqe/core/tensor';
import { embedTemplate, structuresOf } from '@fuzzqe/model';
import type { ServedModel } from './served-model.ts';

/**
 * The query structures that the model's family embeds as programs, a query a row; signatures are those of `structureSignature`.
 *
 * @example
 * const { inputs, outputs } = structurePrograms(model)['2i']!;
 */
export function structurePrograms(model: ServedModel): Readonly<Partial<Record<StructureName, Program>>> {
  return Object.fromEntries(structuresOf(model.config).map((name) => [name, structureProgram(model, name)]));
}

/** One query structure as a program. */
export function structureProgram(model: ServedModel, name: StructureName): Program {
  const structure = structures[name];
  const anchors = input('anchors', 'int', ['batch', structure.anchors]);
  const relations = input('relations', 'int', ['batch', structure.relations]);
  const embedding = embedTemplate(model.logic, structure.template, {
    anchor: (slot) => model.anchor(column(anchors, slot)),
    project: (slot, from) => model.project(from, column(relations, slot)),
    centroid: model.centroid && ((slot, from) => model.centroid!(from, column(relations, slot))),
  });
  return createProgram({
    name,
    description: `The embeddings of queries of structure ${name}.`,
    inputs: [anchors, relations],
    outputs: { embedding },
  });
}

/** One slot of every query. Shapes: [batch, slots] → [batch]. */
export const column = (slots: Tensor, at: number): Tensor => reshape(slice(slots, at, at + 1, 1), ['batch']);
