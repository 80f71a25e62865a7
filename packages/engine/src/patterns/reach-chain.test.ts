import { createKnowledgeGraph } from '@fuzzqe/core';
import { parsePatternText } from '@fuzzqe/core/query';
import { defaultWeights, type RuleSet } from '@fuzzqe/evidence';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it, vi } from 'vitest';
import { openGraphEngine } from '../index.ts';
import type { PatternOptions } from './pattern-answer.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const vocabulary = createVocabulary({
  entities: named('Paris', 'Île-de-France', 'France', 'Europe', 'Porto', 'Portugal', 'Lima', 'Peru'),
  relations: named('in', 'member of', 'capital of'),
});
/** That Portugal is in Europe is not recorded, but that Portugal is a member is; nothing leads Peru there. */
const facts = createKnowledgeGraph({
  entityCount: 8,
  relationCount: 6,
  triples: Int32Array.of(
    ...[0, 0, 1, 1, 0, 2, 2, 0, 3, 4, 0, 5, 6, 0, 7],
    ...[2, 2, 3, 5, 2, 3, 0, 4, 2, 6, 4, 7],
  ),
});
const rules: RuleSet = {
  relationCount: 6,
  rules: [
    { kind: 'path', relation: 0, path: [2], hits: 90, predictions: 92 },
    { kind: 'path', relation: 1, path: [3], hits: 90, predictions: 92 },
  ],
};
const match = async (text: string, options?: PatternOptions) =>
  (await openGraphEngine({ vocabulary, facts, evidence: { weights: defaultWeights(6), rules } })).match(
    parsePatternText(text, vocabulary),
    { minDegree: 0.2, suggestions: false, ...options },
  );
type Answered = Awaited<ReturnType<typeof match>>;
const statesOf = ({ rows }: Answered) =>
  Object.fromEntries(rows.map(({ entities, state }) => [entities[0]!.label, state]));
/** The links that explain an entity, in their order, `?` behind a predicted link. */
const chainOf = ({ rows }: Answered, label: string) =>
  rows
    .find(({ entities }) => entities[0]!.label === label)!
    .because!.flatMap(({ links }) => links)
    .map(({ head, relation, tail, recorded }) =>
      [head.label, relation.key, `${tail.label}${recorded ? '' : '?'}`].join(' '),
    );

describe('a relation that is followed several times', () => {
  it('leads by recorded facts, and by one predicted link', async () => {
    const found = await match('?x : "in"+(?x, Europe)', { explain: true });
    expect(statesOf(found)).toEqual({
      ...{ Paris: 'recorded', 'Île-de-France': 'recorded', France: 'recorded' },
      ...{ Portugal: 'predicted', Porto: 'predicted' },
    });
    expect(chainOf(found, 'Paris')).toEqual([
      'Europe in^-1 France',
      'France in^-1 Île-de-France',
      'Île-de-France in^-1 Paris',
    ]);
    expect(chainOf(found, 'Porto')).toEqual(['Europe in^-1 Portugal?', 'Portugal in^-1 Porto']);
    // Two predicted links are too many: without a fact of its own Porto is not found.
    const [porto, portugal] = ['Porto', 'Portugal'].map(
      (label) => found.rows.find(({ entities }) => entities[0]!.label === label)!.degree,
    );
    expect(porto).toBe(portugal);
  });

  it('begins with the entity itself where it may be followed no times', async () => {
    expect(statesOf(await match('?x : "in"*(?x, Europe)'))['Europe']).toBe('recorded');
    expect(statesOf(await match('?x : "in"?(?x, Europe)'))).toEqual({
      ...{ Europe: 'recorded', France: 'recorded', Portugal: 'predicted' },
    });
    const found = await match('?x : "in"?(?x, Europe)', { explain: true });
    expect(chainOf(found, 'Europe')).toEqual([]);
    expect(chainOf(found, 'Portugal')).toEqual(['Europe in^-1 Portugal?']);
  });

  it('begins with what a tree leads to, and joins other conditions', async () => {
    const found = await match('?x : "in"+(?c, ?x), "capital of"(?c, France)', { explain: true });
    expect(statesOf(found)).toEqual({ 'Île-de-France': 'recorded', France: 'recorded', Europe: 'recorded' });
    expect(chainOf(found, 'France')).toEqual([
      'France capital of^-1 Paris',
      'Paris in Île-de-France',
      'Île-de-France in France',
    ]);
    expect(statesOf(await match('?x : "in"+(?x, Europe), "member of"(?x, Europe)'))).toEqual({
      ...{ France: 'recorded', Portugal: 'predicted' },
    });
    // Paris is there for certain, Porto perhaps, and Lima hardly.
    const { rows } = await match('?x : "in"(?x, ?y), not "in"+(?x, Europe)');
    const degreeOf = (label: string) => rows.find(({ entities }) => entities[0]!.label === label)?.degree;
    expect(degreeOf('Paris')).toBeUndefined();
    expect(degreeOf('Lima')).toBeGreaterThan(0.8);
    expect(degreeOf('Porto')).toBeLessThan(0.5);
  });

  it('is explained together with any link of another relation, by the likeliest link', async () => {
    const found = await match('?x : "in"+(?x, Europe), "capital of"(?x, ?of)', { explain: true });
    expect(chainOf(found, 'Paris')).toEqual([
      'Europe in^-1 France',
      'France in^-1 Île-de-France',
      'Île-de-France in^-1 Paris',
      'Paris capital of France',
    ]);
  });

  it('asks for the reasons of all rows together', async () => {
    const callsOf = async (k: number) => {
      const engine = await openGraphEngine({
        vocabulary,
        facts,
        evidence: { weights: defaultWeights(6), rules },
      });
      const rank = vi.spyOn(engine.ranker, 'rank');
      const pattern = parsePatternText('?x : "in"+(?x, Europe), "in"(?x, ?y)', vocabulary);
      const { rows } = await engine.match(pattern, { explain: true, minDegree: 0.2, suggestions: false, k });
      expect(rows).toHaveLength(k);
      return rank.mock.calls.length;
    };
    const calls = await callsOf(1);
    expect(calls).toBeGreaterThan(1);
    // One more for the predicted step, which a second row does not ask for again.
    expect(await callsOf(4)).toBeLessThanOrEqual(calls + 1);
  });

  it('counts what the facts give', async () => {
    const { counts } = await match('?x : "in"+(?x, Europe)', { count: true });
    expect(counts).toMatchObject({ recorded: 3, atLeast: false });
  });
});
