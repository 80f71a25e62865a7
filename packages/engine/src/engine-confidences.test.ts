import { asEntityId, changedFacts, createKnowledgeGraph } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import { answerQuery, parseQueryText, type Query } from '@fuzzqe/core/query';
import { defaultWeights } from '@fuzzqe/evidence';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { openGraphEngine } from './index.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const symmetric = 'http://www.w3.org/2002/07/owl#SymmetricProperty';
const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const vocabulary = createVocabulary({
  entities: named('Ann', 'Bob', 'Carl', 'Dora', 'Emil', 'Fay', 'spouse', symmetric),
  relations: named('spouse', 'parent', type),
});
const of = (...triples: readonly (readonly [number, number, number])[]): Int32Array =>
  Int32Array.from(triples.flat());
/** Spouses are so both ways. */
const facts = createKnowledgeGraph({
  entityCount: 8,
  relationCount: 6,
  triples: of([0, 0, 1], [1, 2, 2], [1, 2, 3], [4, 2, 3], [6, 4, 7]),
});
const evidence = { weights: defaultWeights(6), rules: { relationCount: 6, rules: [] } };
const parse = (text: string): Query => parseQueryText(text, vocabulary);
const { fround } = Math;

describe.each(logicNames)('confidences of recorded facts, %s logic', (logic) => {
  const open = async () => {
    const engine = await openGraphEngine({ vocabulary, facts, evidence, logic, cacheBytes: 2 ** 20 });
    await engine.changeFacts({
      added: of([1, 2, 2], [2, 2, 4], [0, 2, 4], [2, 2, 3]),
      confidences: [0.75, 0.5, 0.25, 1],
    });
    return engine;
  };

  it('are the degrees that answers, whole sets and explanations have', async () => {
    const engine = await open();
    const queries = [
      'project(parent, Bob)',
      'project(parent^-1, Carl)',
      'project(parent, project(spouse, Ann))',
      'project(parent, project(parent, Bob))',
      'and(project(parent, Bob), project(parent, Emil))',
      'or(project(parent, Ann), project(parent, Carl))',
    ].map(parse);
    const k = engine.facts.entityCount;
    const whole = await engine.degrees(queries);
    let unsure = 0;
    for (const [i, query] of queries.entries()) {
      const exact = answerQuery(engine.facts, query);
      const { answers } = await engine.answer(query, { k, explain: true });
      // One answer alone may have nothing computed of it but that it is recorded.
      const { answers: few } = await engine.answer(query, { k: 1 });
      expect(few[0]!.degree).toBe(whole[i]![few[0]!.id]!);
      for (const { id, degree, state, links } of answers) {
        expect(degree).toBe(whole[i]![id]!);
        expect(state === 'recorded').toBe(exact.has(id));
        if (exact.has(id) && degree < 0.95) unsure += 1;
        for (const link of links!) {
          const { head, relation, tail, recorded } = link;
          expect(recorded).toBe(engine.facts.has(head.id, relation.id, tail.id));
          const [own] = await engine.degrees([
            { op: 'project', relation: relation.id, from: { op: 'entity', entity: head.id } },
          ]);
          expect(link.degree).toBe(own![tail.id]);
        }
      }
      expect(new Set(answers.filter(({ state }) => state === 'recorded').map(({ id }) => id))).toEqual(
        new Set(exact),
      );
    }
    expect(unsure).toBeGreaterThan(5);
    const [bob, , carl] = [1, 2, 2];
    expect(whole[0]![carl]).toBe(0.75);
    expect(whole[1]![bob]).toBe(0.75);
    // Along a chain the logic joins them: Bob parent Carl (0.75), Carl parent Emil (0.5).
    const chain = { product: 0.375, godel: 0.5, lukasiewicz: 0.25 }[logic];
    const [viaCarl] = await engine.degrees([parse('project(parent, project(parent, Bob))')]);
    expect(viaCarl![4]).toBeGreaterThanOrEqual(fround(chain));
    expect(viaCarl![4]).toBeLessThan(0.95);
    await engine.close();
  });

  it('change with a later change of the fact, and go with the fact', async () => {
    const engine = await open();
    const query = parse('project(parent, Bob)');
    const degree = async () => (await engine.degrees([query]))[0]![2];
    expect((await engine.changeFacts({ added: of([2, 3, 1]), confidences: [0.125] })).epoch).toBe(2);
    expect(await degree()).toBe(0.125);
    await engine.changeFacts({ added: of([1, 2, 2]) });
    expect(await degree()).toBe(1);
    const changes = [{ added: of([1, 2, 2]), confidences: [0.5] }, { removed: of([1, 2, 2]) }];
    await Promise.all(changes.map((each) => engine.changeFacts(each)));
    expect(engine.facts.confidences?.degrees.length).toBe(4);
    expect(await degree()).not.toBe(0.5);
    await Promise.all(changes.toReversed().map((each) => engine.changeFacts(each)));
    expect(await degree()).toBe(0.5);
    await engine.close();
  });

  it('answer as a graph that was opened with them', async () => {
    const [engine, { graph }] = [
      await open(),
      changedFacts(facts, {
        added: of([1, 2, 2], [2, 2, 4], [0, 2, 4], [2, 2, 3]),
        confidences: [0.75, 0.5, 0.25, 1],
      }),
    ];
    const other = await openGraphEngine({ vocabulary, facts: graph, evidence, logic });
    const queries = ['project(parent, project(parent, Bob))', 'project(parent^-1, Emil)'].map(parse);
    expect(await engine.degrees(queries)).toEqual(await other.degrees(queries));
    await Promise.all([engine.close(), other.close()]);
  });
});

describe('what axioms entail', () => {
  it('is of certain facts alone', async () => {
    const engine = await openGraphEngine({ vocabulary, facts, evidence });
    const ann = async () => (await engine.degrees([parse('project(spouse, Bob)')]))[0]![asEntityId(0)];
    expect(await ann()).toBe(fround(0.999));
    await engine.changeFacts({ added: of([0, 0, 1]), confidences: [0.3] });
    expect(await ann()).toBeLessThan(0.9);
    await engine.close();
  });
});
