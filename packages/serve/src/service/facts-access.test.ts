import { createKnowledgeGraph } from '@fuzzqe/core';
import { openGraphEngine } from '@fuzzqe/engine';
import { defaultWeights } from '@fuzzqe/evidence';
import { createMemoryFacts } from '@fuzzqe/facts';
import { createVocabulary } from '@fuzzqe/names';
import { expect, it } from 'vitest';
import { createLiveFacts } from '../facts/live-facts.ts';
import { updatableFacts } from '../facts/updatable-facts.ts';
import { factsAccess } from './facts-access.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: `the ${key}` }));
const couples = 8;
const people = Array.from({ length: 2 * couples }, (_, i) => `p${i}`);
/** spouse(2k, 2k + 1) for all couples; the rule spouse(x, y) ← spouse(y, x) predicts the other half. */
const triples = Array.from({ length: couples }, (_, k) => [2 * k, 0, 2 * k + 1]).flat();
const unlimited = { costLimit: Number.POSITIVE_INFINITY, onCost: () => undefined };
const mirror = { kind: 'path' as const, relation: 0, path: [1], hits: 7, predictions: 8 };

it('proposes links, and judges them unless something speaks against them', async () => {
  const engine = await openGraphEngine({
    vocabulary: createVocabulary({ entities: named(...people), relations: named('spouse') }),
    facts: createKnowledgeGraph({
      entityCount: people.length,
      relationCount: 2,
      triples: Int32Array.from(triples),
    }),
    evidence: { weights: defaultWeights(2), rules: { relationCount: 2, rules: [mirror] } },
  });
  const store = createMemoryFacts();
  const live = createLiveFacts(store);
  await live.follow(engine);
  const access = factsAccess({ facts: updatableFacts(live), refusalOf: () => undefined });

  const [first] = await access.next({ entity: 'p1', limit: 1 }, unlimited);
  expect(first).toMatchObject({ head: { key: 'p1', label: 'the p1' }, relation: { key: 'spouse' } });
  const link = { head: first!.head.key, relation: 'spouse', tail: first!.tail.key };
  const judgement = (does: 'add' | 'reject') => [{ does, ...link, place: '$' }] as const;
  const rejected = await access.judge(judgement('reject'), 'refuse', { by: 'ann' });
  expect(rejected).toMatchObject({ conflicts: [], written: { epoch: 1, rejected: 1 } });
  const refused = await access.judge(judgement('add'), 'refuse');
  expect(refused.written).toBeUndefined();
  expect(refused.conflicts).toContainEqual({
    ...link,
    kind: 'rejected',
    message: 'The link was rejected by ann.',
  });
  expect(store.epoch).toBe(1);
  const anyway = await access.judge(judgement('add'), 'accept');
  expect(anyway.written).toMatchObject({ epoch: 2, added: 1 });
  expect(anyway.conflicts.length).toBeGreaterThan(0);

  await Promise.all([live.close(), engine.close()]);
});
