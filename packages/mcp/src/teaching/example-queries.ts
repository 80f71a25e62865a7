import { createRandom, type KnowledgeGraph, type Random } from '@fuzzqe/core';
import {
  answerQuery,
  instantiate,
  type Query,
  type StructureName,
  structureNames,
  structures,
  type Template,
} from '@fuzzqe/core/query';

/** How often an example is drawn until the facts answer it. */
const draws = 30;

const drawn = new WeakMap<KnowledgeGraph, ReadonlyMap<StructureName, Query>>();

/** A query of each structure that the recorded facts answer, where one is found; always the same for a graph. */
export function exampleQueries(facts: KnowledgeGraph): ReadonlyMap<StructureName, Query> {
  const known = drawn.get(facts) ?? drawExamples(facts);
  drawn.set(facts, known);
  return known;
}

function drawExamples(facts: KnowledgeGraph): ReadonlyMap<StructureName, Query> {
  const random = createRandom('example queries');
  const triples = facts.forwardTriples();
  const examples = new Map<StructureName, Query>();
  if (triples.length === 0) return examples;
  for (const name of structureNames) {
    const { template, anchors, relations } = structures[name];
    for (let draw = 0; draw < draws && !examples.has(name); draw++) {
      const slots = { anchors: new Int32Array(anchors), relations: new Int32Array(relations) };
      grow(template, anyTail(triples, random), slots, { facts, triples, random });
      const query = instantiate(template, slots.anchors, slots.relations);
      if (!repeats(slots.anchors, slots.relations) && answerQuery(facts, query).size > 0)
        examples.set(name, query);
    }
  }
  return examples;
}

interface Slots {
  readonly anchors: Int32Array;
  readonly relations: Int32Array;
}

interface Source {
  readonly facts: KnowledgeGraph;
  readonly triples: Int32Array;
  readonly random: Random;
}

/** Fills the slots of a template backwards from an entity that is to answer it; what is negated is grown from another. */
function grow(template: Template, answer: number, slots: Slots, source: Source): void {
  const { facts, triples, random } = source;
  switch (template.op) {
    case 'entity':
      slots.anchors[template.anchor] = answer;
      return;
    case 'project': {
      const back = facts.relationsOf(answer);
      const along = back[random.below(back.length)]!;
      const heads = facts.tails(answer, along);
      // Followed the other way, the edge leads to the answer.
      slots.relations[template.relation] = along ^ 1;
      grow(template.from, heads[random.below(heads.length)]!, slots, source);
      return;
    }
    case 'not':
      grow(template.operand, anyTail(triples, random), slots, source);
      return;
    default:
      for (const operand of template.operands) grow(operand, answer, slots, source);
  }
}

/** An entity that a fact leads to. */
function anyTail(triples: Int32Array, random: Random): number {
  return triples[3 * random.below(triples.length / 3) + 2]!;
}

/** Whether two operands could be the same: an example of a conjunction should have two things to say. */
function repeats(anchors: Int32Array, relations: Int32Array): boolean {
  return new Set(anchors).size < anchors.length || (anchors.length > 1 && new Set(relations).size < 2);
}
