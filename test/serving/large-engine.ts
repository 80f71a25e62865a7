import { readManifest } from '@fuzzqe/bundle';
import { asEntityId, createKnowledgeGraph, createRandom, type RelationId } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import type { Derivation, PartMembers } from '@fuzzqe/core/sets';
import { createEngine, type Engine, type Ranker, type RankRequest, type RankResult } from '@fuzzqe/engine';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { createVocabulary } from '@fuzzqe/names';

const words =
  'alpha beta gamma delta river stone north lake union forge amber cedar harbour valley crown meadow'.split(
    ' ',
  );
const relationCount = 400;

/** An engine over made names and facts, whose ranker has an answer to everything at once: what is left is the work of the main thread. */
export async function largeEngine(entityCount: number): Promise<Engine> {
  const random = createRandom('large engine', entityCount);
  const word = (): string => words[random.below(words.length)]!;
  const named = (count: number, letter: string) =>
    Array.from({ length: count }, (_, i) => ({
      key: `${letter}${i}`,
      label: `${word()} ${word()} ${word()} ${i}`,
    }));
  const vocabulary = createVocabulary({
    entities: named(entityCount, 'Q'),
    relations: named(relationCount / 2, 'P'),
  });
  // The first entity has facts with all others, by relations in turns; others have two.
  const triples = new Int32Array(9 * entityCount);
  for (let i = 0; i < entityCount; i += 1) {
    const relation = (): number => 2 * random.below(relationCount / 2);
    triples.set([0, relation(), i, i, relation(), random.below(entityCount), i, relation(), 1], 9 * i);
  }
  const facts = createKnowledgeGraph({ entityCount, relationCount, triples });
  const { source } = await memoryBundle();
  const manifest = await readManifest(source);
  const model = { ...manifest.model, entities: entityCount, relations: relationCount };
  const bundle = {
    manifest: { ...manifest, model },
    profileName: 'fp32',
    vocabulary,
    facts,
    textsOf: async () => ({}),
  };
  const ranker: Ranker = {
    runtime: 'none',
    plan: 'operators',
    ready: true,
    rank: async (batch) => batch.map((request) => resultOf(request, entityCount)) as never, // in their order
    warmUp: async () => undefined,
    close: async () => undefined,
  };
  return createEngine(bundle, ranker);
}

const firstOf = (count: number): Int32Array => Int32Array.from({ length: count }, (_, i) => i);

function resultOf(request: RankRequest, entityCount: number): RankResult {
  const { task } = request;
  switch (task) {
    case 'sets': {
      const { k, query } = request;
      const [degrees, known] = [new Float32Array(k).fill(0.75), new Uint8Array(k).fill(1)];
      const operands = query.op === 'and' ? query.operands.map(() => ({ degrees, known })) : [];
      return { task, ids: firstOf(k), degrees, known, operands };
    }
    case 'embedding': {
      const { k } = request;
      const scores = new Float32Array(k).fill(0.75);
      return { task, ids: firstOf(k), scores, known: new Uint8Array(k), embedding: undefined };
    }
    case 'explain': {
      const { query, answers, members } = request;
      const derivations = Array.from(answers, (id) => derivationOf(query, id));
      return { task, parts: partsOf(query, '$', members), derivations, reasons: [] };
    }
    case 'recorded':
      return { task, ids: firstOf(1000) };
    case 'degrees':
      return { task, degrees: new Float32Array(entityCount).fill(0.75) };
    case 'score':
      return { task, scores: new Float32Array(request.ids.length) };
    case 'pattern': {
      const { k, plan } = request;
      const [degrees, known] = [new Float32Array(k).fill(0.75), new Uint8Array(k).fill(1)];
      const [tuples, assignments] = [plan.answers, plan.steps].map((each) => firstOf(k * each.length));
      return { task, tuples: tuples!, assignments: assignments!, degrees, known, unseen: 0, links: 0 };
    }
    case 'embed':
      return { task, embedding: new Float32Array(8) };
    case 'fold':
      return { task, vectors: new Float32Array(8 * request.entities.length) };
  }
}

function derivationOf(query: Query, id: number): Derivation {
  const step = { entity: asEntityId(id), degree: 0.75 };
  switch (query.op) {
    case 'entity':
      return { op: query.op, ...step };
    case 'project': {
      const link = {
        head: asEntityId(1),
        relation: query.relation as RelationId,
        recorded: true,
        degree: 0.75,
        neighbours: [],
      };
      return { op: query.op, ...step, link, from: derivationOf(query.from, 1) };
    }
    case 'not':
      return { op: query.op, ...step, operand: derivationOf(query.operand, id) };
    default:
      return { op: query.op, ...step, operands: query.operands.map((each) => derivationOf(each, id)) };
  }
}

function partsOf(query: Query, path: string, members: number): PartMembers[] {
  const ids = firstOf(members);
  const [degrees, known] = [new Float32Array(members).fill(0.75), new Uint8Array(members).fill(1)];
  const inner =
    query.op === 'project'
      ? [query.from]
      : query.op === 'not'
        ? [query.operand]
        : query.op === 'entity'
          ? []
          : query.operands;
  return [
    { path, ids, degrees, known },
    ...inner.flatMap((each, i) => partsOf(each, `${path}[${i}]`, members)),
  ];
}
