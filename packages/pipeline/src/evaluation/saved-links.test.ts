import { schema } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
import type { LinkReport } from '@fuzzqe/train';
import { expect, it } from 'vitest';
import { savedLinks, savedLinksSchema } from './saved-links.ts';

const named = (key: string) => ({ key, label: key });
const relations = Array.from({ length: 120 }, (_, i) => named(`r${i}`));
const vocabulary = createVocabulary({ entities: [named('a')], relations });
const figures = (mrr: number, answers: number) => ({
  ...{ mrr, hits1: 0, hits3: 0, hits10: 0, queries: 1, answers },
});
const report = (ids: readonly number[], mrr: number): LinkReport => ({
  relations: ids.map((relation) => ({ relation, ...figures(mrr, 1 + (relation % 7)) })),
  halves: [{ known: 'head', share: 1, ...figures(mrr, 5) }],
});

it('keeps the relations with most answers, each with the MRR of rules alone', () => {
  const all = Array.from({ length: 240 }, (_, i) => i);
  const kept = savedLinks(report(all, 0.5), report([6, 13], 0.25), vocabulary);
  expect(kept.relations).toHaveLength(200);
  expect(kept.more).toBe(40);
  expect(kept.relations.slice(0, 3)).toEqual([
    { relation: 'r3', answers: 7, mrr: 0.5, rules: 0.25 },
    { relation: 'r6^-1', answers: 7, mrr: 0.5, rules: 0.25 },
    { relation: 'r10', answers: 7, mrr: 0.5 },
  ]);
  expect(kept.relations.at(-1)!.answers).toBeLessThanOrEqual(2);
  expect(kept.halves).toEqual([{ known: 'head', share: 1, answers: 5, mrr: 0.5, rules: 0.25 }]);
  expect(schema.recogniseJson(savedLinksSchema, JSON.stringify(kept))).toEqual(kept);
});

it('has no figures of rules where none were measured', () => {
  const kept = savedLinks(report([0, 1], 0.5), undefined, vocabulary);
  expect(kept).toEqual({
    relations: [
      { relation: 'r0^-1', answers: 2, mrr: 0.5 },
      { relation: 'r0', answers: 1, mrr: 0.5 },
    ],
    more: 0,
    halves: [{ known: 'head', share: 1, answers: 5, mrr: 0.5 }],
  });
});
