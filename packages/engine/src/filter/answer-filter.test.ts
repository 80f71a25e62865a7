import { asEntityId, asRelationId } from '@fuzzqe/core';
import { and, answerQuery, entity, not, or, project, type Query } from '@fuzzqe/core/query';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AnswerFilter, type AnswerOptions, type Engine, openEngine } from '../index.ts';
import { memoryBundle, referenceSessions } from '../testing/index.ts';

const e = (id: number): Query => entity(asEntityId(id));
const p = (relation: number, from: Query): Query => project(asRelationId(relation), from);
const all = Array.from({ length: 40 }, (_, id) => id);
const queries = [
  p(0, e(1)),
  p(2, p(1, e(3))),
  and(p(0, e(1)), not(p(2, e(3)))),
  not(p(0, e(1))),
  or(p(0, e(1)), p(1, e(2))),
  p(3, or(e(1), e(2), e(3), e(4))),
];

let engine: Engine;
let ranks: { readonly task: string; readonly k?: number }[] = [];
beforeAll(async () => {
  const { source, config, parameters } = await memoryBundle();
  engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
  const { rank } = engine.ranker;
  Object.assign(engine.ranker, {
    rank: (batch: typeof ranks, limits: object) => {
      ranks.push(...batch);
      return rank(batch as never, limits);
    },
  });
});

const idsOf = async (query: Query, options: AnswerOptions): Promise<number[]> =>
  (await engine.answer(query, options)).answers.map(({ id }) => id);

describe.each(['sets', 'embedding'] as const)('a filter in mode %s', (mode) => {
  const options = { mode, k: 40, ...(mode === 'sets' ? { minDegree: 0 } : {}) } as AnswerOptions;

  it.each(['none', 'known'] as const)(
    'by ids leaves just these in the order without it, excluding %s',
    async (exclude) => {
      for (const query of queries) {
        const unfiltered = await idsOf(query, { ...options, exclude });
        for (const ids of [[7], [39, 0, 12, 12, 3], all.filter((id) => id % 2 === 0), all]) {
          const kept = unfiltered.filter((id) => ids.includes(id));
          expect(await idsOf(query, { ...options, exclude, filter: { ids } })).toEqual(kept);
          expect(await idsOf(query, { ...options, k: 2, exclude, filter: { ids } })).toEqual(
            kept.slice(0, 2),
          );
        }
      }
    },
  );

  it('by a query leaves what answers it by the facts, or from a degree on', async () => {
    const filter = or(p(1, e(5)), p(0, e(9)));
    const recorded = answerQuery(engine.facts, filter);
    const [set] = await engine.degrees([filter]);
    const minDegree = Array.from(set!).toSorted((a, b) => b - a)[recorded.size + 5]!;
    const likely = all.filter((id) => set![id]! >= minDegree);
    expect(likely.length).toBeGreaterThan(recorded.size);
    expect(likely.length).toBeLessThan(40);
    for (const query of queries) {
      const unfiltered = await idsOf(query, options);
      expect(await idsOf(query, { ...options, filter: { query: filter } })).toEqual(
        unfiltered.filter((id) => recorded.has(id)),
      );
      expect(await idsOf(query, { ...options, filter: { query: filter, minDegree } })).toEqual(
        unfiltered.filter((id) => likely.includes(id)),
      );
    }
  });

  it('from the degree on that an entity has leaves that entity', async () => {
    const filter = or(p(1, e(5)), p(0, e(9)));
    const [set] = await engine.degrees([filter]);
    // As somebody writes it who reads it from an answer: of 0.7, single precision has a number a little below.
    const id = all.find((id) => set![id]! > 0 && set![id]! < Number(set![id]!.toPrecision(8)))!;
    const minDegree = Number(set![id]!.toPrecision(8));
    expect(await idsOf(p(0, e(1)), { ...options, filter: { query: filter, minDegree } })).toContain(id);
  });

  it('that leaves nothing gives no answers, with a warning', async () => {
    for (const filter of [{ ids: [] }, { query: and(e(1), e(2)) }] satisfies AnswerFilter[]) {
      const { answers, warnings } = await engine.answer(queries[0]!, { ...options, filter });
      expect(answers).toEqual([]);
      expect(warnings).toEqual([
        expect.stringMatching(/^few-answers: no answers: nothing that the filter leaves/),
      ]);
    }
  });

  it('says where all others are recorded, and where no degree is high enough', async () => {
    if (mode === 'embedding') {
      const open = not(p(0, e(1)));
      const { answers, warnings } = await engine.answer(open, { mode, k: 40, exclude: 'known' });
      expect(answers.length).toBeLessThan(40);
      expect(warnings.at(-1)).toMatch(new RegExp(`^few-answers: ${answers.length} of 40 answers, `));
      return;
    }
    const none = await engine.answer(p(0, e(1)), {
      ...options,
      exclude: 'known',
      minDegree: 1,
      suggestions: false,
    } as AnswerOptions);
    expect([none.answers, 'suggestions' in none && none.suggestions]).toEqual([[], []]);
    expect(none.warnings.at(-1)).toMatch(
      /^few-answers: no answers beyond the recorded ones: .* has a degree of 1 or more$/,
    );
  });

  it('asks the ranking for as many answers as are wanted and left, also where nearly everything is known', async () => {
    for (const [filter, k, asked] of [
      [undefined, 3, 3],
      [{ ids: [1, 2, 3] }, 2, 2],
      [{ ids: [1, 2, 3] }, 10, 3],
    ] as const) {
      ranks = [];
      await engine.answer(not(p(0, e(1))), {
        ...options,
        k,
        exclude: 'known',
        ...(filter && { filter }),
      } as AnswerOptions);
      expect(ranks.map((request) => [request.task, request.k])).toEqual([[mode, asked]]);
    }
  });

  it.each([
    ['no form of a filter', {}, 'usage', '$.filter'],
    ['both forms', { ids: [1], query: e(1) }, 'usage', '$.filter'],
    ['ids that are no list', { ids: 7 }, 'usage', '$.filter'],
    ['a degree of ids', { ids: [1], minDegree: 0.5 }, 'usage', '$.filter'],
    ['an id that there is not', { ids: [1, 40] }, 'range', '$.filter.ids[1]'],
    ['an id that is none', { ids: ['e1'] }, 'range', '$.filter.ids[0]'],
    ['a degree that everything has', { query: e(1), minDegree: 0 }, 'range', '$.filter.minDegree'],
    ['a degree above 1', { query: e(1), minDegree: 1.1 }, 'range', '$.filter.minDegree'],
    ['a query of another graph', { query: e(40) }, 'range', '$.filter.query.entity'],
    ['a query that is none', { query: null }, 'query', '$.filter.query'],
    ['what is no object', 'France', 'usage', '$.filter'],
  ])('refuses %s before anything is ranked', async (_, filter, code, path) => {
    ranks = [];
    // Callers without types can ask so.
    const asked = engine.answer(queries[0]!, { ...options, filter } as AnswerOptions);
    await expect(asked).rejects.toMatchObject({ code, path });
    expect(ranks).toEqual([]);
  });
});
