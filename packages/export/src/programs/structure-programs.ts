import {
  createProgram,
  embedTemplate,
  gather,
  input,
  logicOf,
  type ModelConfig,
  type Program,
  relationProjection,
  reshape,
  type StructureName,
  slice,
  structureNames,
  structures,
  type Tensor,
} from '@fuzzqe/core';
import { ranking } from './ranking.ts';
import { tableParameters } from './tables.ts';

/** The 14 query structures as programs, a query a row; signatures are those of `structureSignature`. */
export function structurePrograms(config: ModelConfig): Readonly<Record<StructureName, Program>> {
  // Every name gets a program, which is what the record says.
  return Object.fromEntries(
    structureNames.map((name) => [name, structureProgram(config, name)]),
  ) as unknown as Record<StructureName, Program>;
}

/** One query structure as a program. */
export function structureProgram(config: ModelConfig, name: StructureName): Program {
  const structure = structures[name];
  const tables = tableParameters(config);
  const anchors = input('anchors', 'int', ['batch', structure.anchors]);
  const relations = input('relations', 'int', ['batch', structure.relations]);
  const k = input('k', 'int', [1]);
  const embedding = embedTemplate(logicOf(config), structure.template, {
    anchor: (slot) => gather(tables.entities, column(anchors, slot)),
    project: (slot, from) => relationProjection(config, tables.relations, from, column(relations, slot)),
  });
  return createProgram({
    name,
    description: `The k best answers to queries of structure ${name}, and the embeddings of the queries.`,
    inputs: [anchors, relations, k],
    outputs: { ...ranking(embedding, tables.entities, k), embedding },
  });
}

/** One slot of every query. Shapes: [batch, slots] → [batch]. */
const column = (slots: Tensor, at: number): Tensor => reshape(slice(slots, at, at + 1, 1), ['batch']);
