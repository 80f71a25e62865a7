import { asEntityId, asRelationId, changedFacts, createRandom } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import { entity, hasNegation, project } from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import { openEngine, type SetsRequest } from '../index.ts';
import { memoryBundle, referenceSessions } from '../testing/index.ts';
import { randomQuery } from '../testing/random-query.ts';
import { createRecordedFirst } from './recorded-first.ts';

describe.each(logicNames)('what recorded answers are enough for, %s logic', (logic) => {
  it('is answered as a ranker answers it, and nothing else', async () => {
    const { source, config, parameters, facts } = await memoryBundle({ logic, facts: 1500 });
    const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
    const recordedFirst = createRecordedFirst(facts, logic);
    const random = createRandom('recorded first', logic);
    let [answered, left] = [0, 0];
    for (let drawn = 0; drawn < 120; drawn += 1) {
      const query = randomQuery(random, 1 + (drawn % 3));
      const request: SetsRequest = {
        ...{ task: 'sets', query, k: 1 + random.below(8) },
        ...{ minDegree: 0.01, answersFrom: random.uniform() },
      };
      const found = recordedFirst(request);
      for (const other of [{ exclude: 'known' }, { allowed: Int32Array.of(1) }, { at: 0 }] as const)
        expect(recordedFirst({ ...request, ...other })).toBeUndefined();
      if (found === undefined) {
        left += 1;
        continue;
      }
      answered += 1;
      expect(hasNegation(query)).toBe(false);
      expect(found).toEqual((await engine.ranker.rank([request]))[0]);
    }
    expect(Math.min(answered, left)).toBeGreaterThan(20);
    await engine.close();
  });
});

describe('what is not certain', () => {
  it('is left to a ranker', async () => {
    const { facts } = await memoryBundle({ facts: 1500 });
    const [head, relation] = facts.forwardTriples();
    const query = project(asRelationId(relation!), entity(asEntityId(head!)));
    const request: SetsRequest = { task: 'sets', query, k: 1 };
    expect(createRecordedFirst(facts, 'product')(request)).toBeDefined();
    const [tail] = facts.tails(head!, relation!);
    const added = Int32Array.of(head!, relation!, tail!);
    const { graph } = changedFacts(facts, { added, confidences: [0.5] });
    expect(createRecordedFirst(graph, 'product')(request)).toBeUndefined();
  });
});
