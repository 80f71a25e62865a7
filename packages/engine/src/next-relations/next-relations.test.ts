import { parseQueryText } from '@fuzzqe/core/query';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Engine, nextRelations, openEngine } from '../index.ts';
import { memoryBundle, referenceSessions } from '../testing/index.ts';

describe('the relations that lead on from answers', () => {
  let engine: Engine;
  beforeAll(async () => {
    const { source, config, parameters } = await memoryBundle();
    engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  });
  const ask = (text: string, k?: number) =>
    nextRelations(engine, parseQueryText(text, engine.vocabulary), k === undefined ? {} : { k });

  it('of an entity are those that leave it, each with its facts', async () => {
    const { answers, results } = await ask('e5');
    expect(answers).toBe(1);
    const ids = results.map(({ relation }) => relation.id as number);
    expect(ids.toSorted((a, b) => a - b)).toEqual([...engine.facts.relationsOf(5)]);
    for (const { relation, answers, facts } of results) {
      expect(answers).toBe(1);
      expect(facts).toBe(engine.facts.tails(5, relation.id).length);
      expect(relation.inverse).toBe(relation.key.endsWith('^-1'));
    }
    expect(results.map(({ facts }) => facts)).toEqual(
      results.map(({ facts }) => facts).toSorted((a, b) => b - a),
    );
  });

  it('count the answers that each leaves, those of most answers first', async () => {
    const text = 'or(e5, e6, e7)';
    const { answers, results } = await ask(text);
    expect(answers).toBe(3);
    for (const each of results) {
      const heads = [5, 6, 7].filter((id) => engine.facts.tails(id, each.relation.id).length > 0);
      expect(each.answers).toBe(heads.length);
    }
    const counts = results.map((each) => each.answers);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(new Set(counts).size).toBeGreaterThan(1);
    expect((await ask(text, 2)).answers).toBe(2);
  });

  it('are of the best predictions where nothing is recorded', async () => {
    const recorded = engine.facts.tails(5, 0).length;
    const text = recorded === 0 ? 'project(r0, e5)' : 'and(project(r0, e5), not(project(r0, e5)))';
    const { answers, results } = await ask(text);
    expect(answers).toBeGreaterThan(0);
    expect(answers).toBeLessThanOrEqual(5);
    expect(results.length).toBeGreaterThan(0);
  });
});
