import { parityTolerances } from '@fuzzqe/bundle';
import { expect, it } from 'vitest';
import {
  createGoldenCheck,
  createLocalRanker,
  openBundle,
  type Ranker,
  type SessionFactory,
} from '../index.ts';
import { memoryBundle, referenceSessions } from '../testing/index.ts';
import { goldenFailure } from './golden-check.ts';

const { source, config, parameters, golden: written } = await memoryBundle({ entities: 24, facts: 60 });
const bundle = await openBundle(source);
const reference = referenceSessions(config, parameters);

/** The reference, of which the graphs named have outputs a hundredth too large. */
function off(...names: readonly string[]): SessionFactory {
  return {
    runtime: 'off',
    async open(graph, from) {
      const session = await reference.open(graph, from);
      if (!names.some((name) => graph.path.endsWith(`/${name}.onnx`))) return session;
      return {
        async run(feeds) {
          const outputs = await session.run(feeds);
          for (const { data } of Object.values(outputs))
            if (data instanceof Float32Array) data.set(data.map((value) => value * 1.01));
          return outputs;
        },
        close: () => session.close(),
      };
    },
  };
}

const rankerOn = (sessions: SessionFactory, plan: Ranker['plan'] = 'auto'): Ranker =>
  createLocalRanker(bundle, { sessions, plan });

it('lets a ranker pass that gives the golden cases, by each plan', async () => {
  const check = await createGoldenCheck(bundle);
  for (const plan of ['auto', 'program', 'operators', 'edge', 'structure'] as const)
    await check(rankerOn(reference, plan));
});

it.each(['1p', '2in', 'pni', 'program', 'anchor', 'project', 'disjunction', 'rank', 'links'])(
  'finds a graph %s that computes something else',
  async (name) => {
    const check = await createGoldenCheck(bundle);
    await expect(check(rankerOn(off(name)))).rejects.toMatchObject({ code: 'parity' });
  },
);

it('asks the ranking with a mask too, where queries that leave nothing out have a graph of their own', async () => {
  const rankAll = { ...bundle.profile.rank, bytes: new Uint8Array(), original: bundle.profile.rank };
  const open = (masked: SessionFactory): Ranker => {
    const sessions: SessionFactory = {
      ...masked,
      runtime: 'both',
      openDerived: async (graph, from) => {
        const session = await reference.open(graph.original, from);
        const allowed = (rows: number) => new Float32Array(rows * 24).fill(1);
        return {
          ...session,
          run: (feeds) => {
            const rows = feeds['embedding']!.dims[0]!;
            return session.run({ ...feeds, allowed: { dims: [rows, 24], data: allowed(rows) } });
          },
        };
      },
    };
    return createLocalRanker({ ...bundle, rankAll }, { sessions });
  };
  const check = await createGoldenCheck({ ...bundle, rankAll });
  await check(open(reference));
  await expect(check(open(off('rank')))).rejects.toMatchObject({ code: 'parity' });
  // Without it only the other graph is asked.
  await (await createGoldenCheck(bundle))(open(off('rank')));
});

it.each([2, 3, 6])('lets a ranker of %d entities pass, of which some have the degree 0', async (entities) => {
  const small = await memoryBundle({ entities, facts: 3 * entities ** 2 });
  const opened = await openBundle(small.source);
  const asked = new Map(small.golden.cases.toReversed().map((each) => [each.structure, each]));
  expect([...asked.values()].some(({ sets }) => sets?.degrees.includes(0))).toBe(true);
  const sessions = referenceSessions(small.config, small.parameters);
  const check = await createGoldenCheck(opened);
  await check(createLocalRanker(opened, { sessions }));
});

it('does not take an entity that is not answered for one of degree 0', async () => {
  const golden = written.cases.find(({ sets }) => sets !== null && sets.degrees[1]! > 0.01)!;
  const { ids, degrees } = golden.sets!;
  const answer = (count: number) => ({
    task: 'sets' as const,
    ids: Int32Array.from(ids.slice(0, count)),
    degrees: Float32Array.from(degrees.slice(0, count)),
    known: new Uint8Array(count),
    operands: [],
  });
  const tolerances = parityTolerances(bundle.manifest, bundle.profileName);
  expect(goldenFailure(answer(ids.length), golden, tolerances)).toBeUndefined();
  expect(goldenFailure(answer(1), golden, tolerances)).toMatch(/^degree at 1: expected .* got 0$/);
});
