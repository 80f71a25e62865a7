import { asEntityId, asRelationId, createRandom, FuzzError } from '@fuzzqe/core';
import { type LogicName, logicNames } from '@fuzzqe/core/logic';
import {
  and,
  answerQuery,
  entity,
  instantiate,
  not,
  or,
  project,
  type Query,
  structureNames,
  structures,
} from '@fuzzqe/core/query';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  answerModes,
  type EmbeddingAnswerEntity,
  type Engine,
  openEngine,
  type SetsAnswerEntity,
} from './index.ts';
import type { SessionFactory } from './sessions/session.ts';
import { describeSession, type MemoryBundle, memoryBundle, referenceSessions } from './testing/index.ts';

const e = (id: number): Query => entity(asEntityId(id));
const byEmbedding = { mode: 'embedding' } as const;
const p = (relation: number, from: Query): Query => project(asRelationId(relation), from);

/** A runtime that notes what it was asked to do. */
function watched(factory: SessionFactory): SessionFactory & { opened: string[]; runs: string[] } {
  const opened: string[] = [];
  const runs: string[] = [];
  return {
    runtime: factory.runtime,
    opened,
    runs,
    async open(graph, source) {
      opened.push(graph.path);
      const session = await factory.open(graph, source);
      return {
        run(feeds) {
          runs.push(graph.path);
          return session.run(feeds);
        },
        close: () => session.close(),
      };
    },
  };
}

async function open(bundle: MemoryBundle): Promise<{ engine: Engine; sessions: ReturnType<typeof watched> }> {
  const sessions = watched(referenceSessions(bundle.config, bundle.parameters));
  return { engine: await openEngine({ source: bundle.source, sessions }), sessions };
}

describeSession({ describe, it }, 'the float64 reference', async () => {
  const { source, config, parameters } = await memoryBundle();
  return { source, sessions: referenceSessions(config, parameters) };
});

describe('an engine', () => {
  let bundle: MemoryBundle;
  let engine: Engine;
  let sessions: ReturnType<typeof watched>;
  beforeAll(async () => {
    bundle = await memoryBundle();
    ({ engine, sessions } = await open(bundle));
  });

  it('opens a graph when a query first needs it, and once', async () => {
    const fresh = await open(bundle);
    expect(fresh.sessions.opened).toEqual([]);
    await Promise.all([1, 2, 3].map((id) => fresh.engine.answer(p(0, e(id)))));
    expect(fresh.sessions.opened).toEqual(['models/fp32/links.onnx']);
    await Promise.all([1, 2, 3].map((id) => fresh.engine.answer(p(0, e(id)), byEmbedding)));
    expect(fresh.sessions.opened.slice(1)).toEqual(['models/fp32/1p.onnx', 'models/fp32/rank.onnx']);
  });

  it.each(['sets', 'embedding', undefined] as const)(
    'opens the graphs of mode %s when it is told to',
    async (mode) => {
      const { engine, sessions } = await open(bundle);
      await engine.warmUp(mode);
      const opened = new Set(sessions.opened);
      expect(opened.size).toBe(sessions.opened.length);
      expect(opened.size).toBe({ sets: 1, embedding: 21, undefined: 22 }[`${mode}`]);
      for (const query of [p(0, e(1)), and(e(1), not(or(p(2, p(0, e(1))), e(2))))]) {
        if (mode !== 'sets') await engine.answer(query, byEmbedding);
        if (mode !== 'embedding') await engine.answer(query);
      }
      expect(sessions.opened).toHaveLength(opened.size);
    },
  );

  it('answers by operators alone where it is opened so, and opens no other graphs', async () => {
    const sessions = watched(referenceSessions(bundle.config, bundle.parameters));
    const engine = await openEngine({ source: bundle.source, sessions, plan: 'operators' });
    await engine.warmUp('embedding');
    const answer = await engine.answer(p(0, e(1)), byEmbedding);
    expect(answer.plan).toMatchObject({ kind: 'operators', structure: '1p' });
    const own = await engine.answer(p(0, e(1)), { ...byEmbedding, plan: 'auto' });
    expect(answer.answers.map(({ id }) => id)).toEqual(own.answers.map(({ id }) => id));
    expect(sessions.opened).toEqual(
      ['anchor', 'project', 'conjunction', 'disjunction', 'negation', 'rank', '1p'].map(
        (name) => `models/fp32/${name}.onnx`,
      ),
    );
  });

  it('tries again to open a graph that could not be opened', async () => {
    const inner = referenceSessions(bundle.config, bundle.parameters);
    let attempts = 0;
    const flaky: SessionFactory = {
      runtime: 'flaky',
      open: (graph, source) => {
        attempts += 1;
        return attempts === 1
          ? Promise.reject(new FuzzError('runtime', 'not yet'))
          : inner.open(graph, source);
      },
    };
    const engine = await openEngine({ source: bundle.source, sessions: flaky });
    await expect(engine.answer(p(0, e(1)))).rejects.toThrow('not yet');
    expect((await engine.answer(p(0, e(1)), { minDegree: 0 })).answers).toHaveLength(10);
  });

  it('composes any tree, folding operands from left to right', async () => {
    const query = and(p(0, e(1)), p(2, e(2)), p(4, e(3)), not(or(p(1, e(4)), p(3, e(5)))));
    const { answers, plan } = await engine.answer(query, { ...byEmbedding, k: 40 });
    expect(answers).toHaveLength(40);
    expect(plan).toEqual({
      kind: 'operators',
      structure: null,
      graphs: { anchor: 5, project: 5, conjunction: 3, disjunction: 1, negation: 1, rank: 1 },
    });
  });

  it('answers structures by the edge graph where it is opened so, and other trees by operators', async () => {
    const sessions = watched(referenceSessions(bundle.config, bundle.parameters));
    const engine = await openEngine({ source: bundle.source, sessions, plan: 'edge' });
    await engine.warmUp('embedding');
    const queries = [p(0, e(1)), p(2, p(0, e(1))), and(p(0, e(1)), p(2, e(3))), p(4, e(2))];
    const answers = await engine.answerAll(queries, byEmbedding);
    expect(sessions.opened).toEqual(['models/fp32/edge.onnx', 'models/fp32/rank.onnx']);
    // One of each structure, and the ranking.
    expect(sessions.runs).toHaveLength(4);
    expect(answers[1]!.plan).toEqual({ kind: 'edge', structure: '2p', graphs: { edge: 1, rank: 1 } });
    const own = await engine.answerAll(queries, { ...byEmbedding, plan: 'structure' });
    expect(answers.map(({ answers }) => answers)).toEqual(own.map(({ answers }) => answers));
    expect((await engine.answer(e(5), byEmbedding)).plan.kind).toBe('operators');
  });

  it('leaves runs of a single structure to its graph, whatever else is in the batch', async () => {
    const sessions = watched(referenceSessions(bundle.config, bundle.parameters));
    const engine = await openEngine({ source: bundle.source, sessions, batchSize: 2 });
    const queries = [1, 2, 3].flatMap((id) => [p(2, p(0, e(id))), p(0, e(id))]);
    await engine.answerAll(queries, byEmbedding);
    expect(sessions.runs).toEqual(
      ['1p', 'program', '2p', 'rank', 'rank', 'rank'].map((name) => `models/fp32/${name}.onnx`),
    );
  });

  it('answers a batch as it answers each query alone, with one run for all structures and one an operator for other trees', async () => {
    const queries = [
      p(0, e(1)),
      and(p(0, e(1)), p(2, e(3))),
      p(2, e(7)),
      e(5),
      p(4, p(4, e(9))),
      e(6),
      p(3, e(9)),
    ];
    sessions.runs.length = 0;
    const together = await engine.answerAll(queries, { ...byEmbedding, k: 7 });
    expect(sessions.runs.sort()).toEqual(
      ['anchor', 'program', 'rank'].map((name) => `models/fp32/${name}.onnx`),
    );
    for (const [i, query] of queries.entries()) {
      expect(together[i]).toEqual(await engine.answer(query, { ...byEmbedding, k: 7 }));
    }
  });

  it('splits a batch that is larger than one run takes', async () => {
    const sessions = watched(referenceSessions(bundle.config, bundle.parameters));
    const engine = await openEngine({ source: bundle.source, sessions, batchSize: 3 });
    const queries = [1, 2, 3, 4, 5, 6, 7].map((id) => p(0, e(id)));
    expect(await engine.answerAll(queries, byEmbedding)).toHaveLength(7);
    expect(
      sessions.runs
        .map((path) => path.slice(-7, -5))
        .sort()
        .join(' '),
    ).toBe('1p 1p 1p nk nk nk');
    sessions.runs.length = 0;
    expect(await engine.answerAll(queries)).toHaveLength(7);
    expect(sessions.runs).toHaveLength(3);
  });

  it.each([
    [0, 'range'],
    [41, 'range'],
    [1.5, 'range'],
    [Number.NaN, 'range'],
    [-1, 'range'],
  ])('refuses k = %d before the runtime sees it', async (k, code) => {
    sessions.runs.length = 0;
    for (const mode of answerModes)
      await expect(engine.answer(p(0, e(1)), { mode, k })).rejects.toMatchObject({ code, path: '$.k' });
    expect(sessions.runs).toEqual([]);
  });

  it.each([
    ['a negative entity', p(0, e(-1)), 'range'],
    ['an entity beyond the last', p(0, e(40)), 'range'],
    ['a negative relation', p(-2, e(1)), 'range'],
    ['a relation beyond the last', p(6, e(1)), 'range'],
    ['a conjunction of one', { op: 'and', operands: [e(1)] } satisfies Query, 'query'],
  ])('refuses %s before the runtime sees it', async (_, query, code) => {
    sessions.runs.length = 0;
    for (const mode of answerModes)
      await expect(engine.answer(query, { mode })).rejects.toMatchObject({ code });
    for (const raw of ['rankSets', 'degrees'] as const)
      await expect(engine[raw]([query])).rejects.toMatchObject({ code });
    await expect(engine.embed(query)).rejects.toMatchObject({ code });
    await expect(engine.rank([query])).rejects.toMatchObject({ code });
    expect(sessions.runs).toEqual([]);
  });

  it('gives k answers, best first and ties to the lower id', async () => {
    for (const k of [1, 7, 40]) {
      const { answers } = await engine.answer(p(0, e(1)), { ...byEmbedding, k });
      expect(answers).toHaveLength(k);
      for (let i = 1; i < k; i += 1) {
        const [before, after] = [answers[i - 1]!, answers[i]!];
        expect(before.score > after.score || (before.score === after.score && before.id < after.id)).toBe(
          true,
        );
      }
    }
  });

  it('warns of a query whose answers are nearly everything', async () => {
    for (const mode of answerModes) {
      const { warnings } = await engine.answer(not(p(0, e(1))), { mode });
      expect(warnings).toEqual([expect.stringMatching(/^open-negation:/)]);
    }
  });

  it('waits for what is under way when it closes, and refuses what comes after', async () => {
    const { engine } = await open(bundle);
    const answer = engine.answer(p(0, e(1)), { minDegree: 0 });
    const closed = engine.close();
    expect(engine.ready).toBe(false);
    expect((await answer).answers).toHaveLength(10);
    await closed;
    await expect(engine.answer(p(0, e(1)))).rejects.toMatchObject({ code: 'runtime' });
    await engine.close();
  });

  it('names the profiles that there are', async () => {
    const opening = openEngine({ source: bundle.source, sessions, profile: 'int4' });
    await expect(opening).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('fp32') });
  });
});

const isKnown = (answer: SetsAnswerEntity | EmbeddingAnswerEntity): boolean =>
  'known' in answer ? answer.known : answer.state === 'recorded' || answer.state === 'doubted';

describe.each(logicNames)('known answers and composition in %s logic', (logic: LogicName) => {
  let bundle: MemoryBundle;
  let engine: Engine;
  beforeAll(async () => {
    bundle = await memoryBundle({ logic });
    ({ engine } = await open(bundle));
  });

  it.each(structureNames)('%s: operators and the structure graph agree', async (name) => {
    const { template, anchors, relations } = structures[name];
    const random = createRandom(name, logic);
    const draw = (count: number, below: number): number[] =>
      Array.from({ length: count }, () => random.below(below));
    const query = instantiate(template, draw(anchors, 40), draw(relations, 6));
    const own = await engine.answer(query, byEmbedding);
    const composed = await engine.answer(query, { ...byEmbedding, plan: 'operators' });
    expect(own.plan).toEqual({ kind: 'structure', structure: name, graphs: { [name]: 1, rank: 1 } });
    expect(composed.plan).toMatchObject({ kind: 'operators', structure: name });
    expect(composed.answers.map(({ id }) => id)).toEqual(own.answers.map(({ id }) => id));
    const [a, b] = [await engine.embed(query), await engine.embed(query, { plan: 'operators' })];
    for (const [i, value] of a.entries()) expect(b[i]).toBeCloseTo(value, 6);
  });

  it.each(structureNames)('%s: marks and leaves out what the facts give', async (name) => {
    const { template, anchors, relations } = structures[name];
    const random = createRandom('known', name, logic);
    const draw = (count: number, below: number): number[] =>
      Array.from({ length: count }, () => random.below(below));
    for (let repetition = 0; repetition < 8; repetition += 1) {
      const query = instantiate(template, draw(anchors, 40), draw(relations, 6));
      const exact = new Set<number>(answerQuery(bundle.facts, query));
      for (const mode of answerModes) {
        const options = mode === 'sets' ? { mode, minDegree: 0 } : { mode };
        const all = (await engine.answer(query, { ...options, k: 40 })).answers;
        for (const answer of all) expect(isKnown(answer)).toBe(exact.has(answer.id));
        for (const k of [1, 5, 40]) {
          const { answers } = await engine.answer(query, { ...options, k, exclude: 'known' });
          expect(answers).toEqual(all.filter((answer) => !isKnown(answer)).slice(0, k));
        }
      }
    }
  });
});
