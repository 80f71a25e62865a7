import { changedFacts, type KnowledgeGraph } from '@fuzzqe/core';
import type { FamilyName, ModelConfig } from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import { openBundle } from '../bundle.ts';
import { anchorRows } from '../embedding/anchor-rows.ts';
import { evenVectors } from '../embedding/new-entities.ts';
import { createSessionCache } from '../sessions/session-cache.ts';
import { linkDirections, product, scaleOf } from '../sets/grown-link-scores.ts';
import { memoryBundle, referenceSessions } from '../testing/index.ts';
import { type FoldingContext, foldIn } from './fold-in.ts';

type Normalisation = ModelConfig['entityNormalisation'];

/** A model whose entity 40 came later, with the links that the model scores highest for the entity 7. */
async function setUp(relationForm: FamilyName, entityNormalisation?: Normalisation) {
  const bundle = await memoryBundle({ relationForm });
  const config = { ...bundle.config, ...(entityNormalisation === undefined ? {} : { entityNormalisation }) };
  const { profile } = await openBundle(bundle.source);
  const sessions = createSessionCache(referenceSessions(config, bundle.parameters), bundle.source);
  const context = { profile, sessions, model: config, batchSize: 64, projectedAtOnce: 32 };
  const links = Array.from({ length: 40 * 6 }, (_, i) => ({ head: Math.floor(i / 6), relation: i % 6 }));
  const directions = await linkDirections({ model: config, context }, links);
  const [twin] = await anchorRows(context, Int32Array.of(7));
  const scoresOf = (vector: Float32Array): number[] =>
    directions.map((direction) => scaleOf(config, vector) * product(direction, vector));
  const ofTwin = scoresOf(twin!);
  const order = [...links.keys()].sort((a, b) => ofTwin[b]! - ofTwin[a]!);
  const own = order.slice(0, 8);
  const added = Int32Array.from(own.flatMap((at) => [links[at]!.head, links[at]!.relation, 40]));
  const facts = changedFacts(bundle.facts, { entityCount: 41, relationCount: 6, added }).graph;
  const folding = (graph: KnowledgeGraph = facts): FoldingContext => ({
    ...{ facts: graph, model: config, context },
    temperature: relationForm === 'blocks' ? 8 : 20,
  });
  return { bundle, config, folding, facts, added, own, order, scoresOf };
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

describe.each([
  ['blocks', 'l1'],
  ['bases', 'l1'],
  ['bases', 'l2'],
] as const)('an entity folded in, %s, %s', (form, normalisation) => {
  it('scores its recorded links above other links, and above what a vector of all alike does', async () => {
    const { config, folding, own, order, scoresOf } = await setUp(form, normalisation);
    const vector = await foldIn(folding(), 40);
    const norm = vector.reduce((sum, each) => sum + (normalisation === 'l1' ? each : each ** 2), 0);
    expect(norm).toBeCloseTo(1, 5);
    const scores = scoresOf(vector);
    const even = scoresOf(evenVectors(1, config.dimension, normalisation));
    const of = (all: readonly number[], links: readonly number[]): number =>
      mean(links.map((link) => all[link]!));
    expect(of(scores, own) - of(even, own)).toBeGreaterThan(0);
    // Links that the entity does not have, as many of them, and all others.
    expect(of(scores, own)).toBeGreaterThan(of(scores, order.slice(-8)));
    expect(of(scores, own) - of(even, own)).toBeGreaterThan(
      of(scores, order.slice(8)) - of(even, order.slice(8)),
    );
  });

  it('has the same bytes from the same facts, and others from other facts', async () => {
    const { folding, facts, added } = await setUp(form, normalisation);
    const first = await foldIn(folding(), 40);
    expect(await foldIn(folding(), 40)).toEqual(first);
    const fewer = changedFacts(facts, { removed: added.slice(0, 9) }).graph;
    expect(await foldIn(folding(fewer), 40)).not.toEqual(first);
  });

  it('belongs to everything alike without a fact', async () => {
    const { config, folding, facts, added } = await setUp(form, normalisation);
    const none = changedFacts(facts, { removed: added }).graph;
    expect(await foldIn(folding(none), 40)).toEqual(evenVectors(1, config.dimension, normalisation));
    expect(await foldIn(folding(), 40)).not.toEqual(evenVectors(1, config.dimension, normalisation));
  });
});

it('does not learn from facts with other new entities, or of new relations', async () => {
  const { config, folding, bundle } = await setUp('blocks');
  const size = { entityCount: 42, relationCount: 8 };
  const foreign = Int32Array.of(40, 0, 41, 40, 6, 3);
  const { graph } = changedFacts(bundle.facts, { ...size, added: foreign });
  expect(await foldIn(folding(graph), 40)).toEqual(evenVectors(1, config.dimension, 'l1'));
});
