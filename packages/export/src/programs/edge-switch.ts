import { edgeSignature } from '@fuzzqe/bundle';
import { type StructureName, structureNames, structures } from '@fuzzqe/core/query';
import { createProgram, input, type Tensor } from '@fuzzqe/core/tensor';
import { embedTemplate, structuresOf } from '@fuzzqe/model';
import type { Switch } from '@fuzzqe/onnx';
import type { ServedModel } from './served-model.ts';
import { column } from './structure-programs.ts';

/**
 * Every structure that the family embeds as a case of one graph, so that one session and one copy of the weights embeds all of them; its
 * signature is `edgeSignature`.
 */
export function edgeSwitch(model: ServedModel): Switch {
  const [selector, anchors, relations] = edgeSignature(model.config).inputs.map(({ name, dtype, shape }) =>
    input(name, dtype, shape),
  ) as [Tensor, Tensor, Tensor];
  const embed = (name: StructureName): Tensor =>
    embedTemplate(model.logic, structures[name].template, {
      anchor: (slot) => model.anchor(column(anchors, slot)),
      project: (slot, from) => model.project(from, column(relations, slot)),
      centroid: model.centroid && ((slot, from) => model.centroid!(from, column(relations, slot))),
    });
  const embedded = structuresOf(model.config);
  // A switch has two cases at least. Readers refuse the second to a family that embeds one structure.
  const other = structureNames.filter((name) => !embedded.includes(name)).slice(0, 1);
  const cases = embedded.length > 1 ? embedded : [...embedded, ...other];
  return {
    name: 'edge',
    description: 'The embeddings of queries of one structure, which is chosen at the run.',
    selector,
    cases: cases.map((name) =>
      createProgram({
        name,
        description: `The embeddings of queries of structure ${name}.`,
        inputs: [anchors, relations],
        outputs: { embedding: embed(name) },
      }),
    ),
  };
}
