import {
  type BundleSource,
  compareCase,
  compareNumbers,
  compareRanking,
  type Golden,
  type GraphEntry,
  type Manifest,
  type Profile,
  parityTolerances,
  profileGraphs,
} from '@fuzzqe/bundle';
import { instantiate, structures } from '@fuzzqe/core/query';
import { topK } from '@fuzzqe/core/ranking';
import { planKinds } from '../embedding/plan.ts';
import type { Ranking } from '../embedding/rank-embeddings.ts';
import { openEngine } from '../engine.ts';
import type { SessionFactory, TensorValue } from '../sessions/session.ts';
import {
  describeTensor,
  expectFailure,
  expectSame,
  expectThat,
  expectWorking,
  feeds1p,
  feedsFor,
  int32,
  rowOf,
} from './session-case-tools.ts';

/** What a session case runs on: a bundle and a fresh runtime over it. */
export interface SessionCaseContext {
  readonly source: BundleSource;
  readonly sessions: SessionFactory;
  readonly manifest: Manifest;
  readonly profile: Profile;
  readonly profileName: string;
  readonly golden: Golden;
}

/** One thing that every runtime must do. It throws where the runtime does not. */
export interface SessionCase {
  readonly name: string;
  run(context: SessionCaseContext): Promise<void>;
}

/** What every `SessionFactory` must do, one case a promise of `Session`. */
export const sessionCases: readonly SessionCase[] = [
  {
    name: 'gives every output that the manifest declares, with its shape and kind of number',
    async run({ source, sessions, manifest, profile }) {
      for (const graph of profileGraphs(profile)) {
        for (const batch of [1, 3]) {
          const session = await sessions.open(graph, source);
          const outputs = await session.run(feedsFor(graph, { batch, k: 2 }, manifest));
          for (const { name, dtype, shape } of graph.outputs) {
            const value = outputs[name];
            const dims = shape.map((dim) => (typeof dim === 'number' ? dim : dim === 'k' ? 2 : batch));
            const found = value === undefined ? 'nothing' : describeTensor(value);
            const wanted = `${dtype === 'int' ? 'int32' : 'float32'} [${dims}]`;
            expectThat(found === wanted, `${graph.path} ${name}: expected ${wanted}, got ${found}`);
          }
          await session.close();
        }
      }
    },
  },
  {
    name: 'agrees with the golden cases by every kind of plan',
    async run({ source, sessions, golden, profileName }) {
      const engine = await openEngine({ source, sessions, profile: profileName });
      const { k, cases } = golden;
      const tolerances = parityTolerances(engine.manifest, profileName);
      const queries = cases.map(({ structure, anchors, relations }) =>
        instantiate(structures[structure].template, anchors, relations),
      );
      const failures: string[] = [];
      for (const by of planKinds) {
        // The program graph takes them as mixed as they come.
        const together = by === 'program' ? [queries] : queries.map((query) => [query]);
        const answers: Ranking[] = [];
        for (const asked of together) answers.push(...(await engine.rank(asked, { k, plan: by })));
        for (const [i, entry] of cases.entries()) {
          const { failure } = compareCase(answers[i]!, entry, tolerances);
          if (failure !== undefined) failures.push(`${entry.structure} by ${by}: ${failure}`);
        }
      }
      await engine.close();
      expectThat(failures.length === 0, failures.join('\n'));
    },
  },
  {
    name: 'agrees with the golden cases by fuzzy sets',
    async run({ source, sessions, golden, profileName }) {
      const engine = await openEngine({ source, sessions, profile: profileName });
      const { k, cases } = golden;
      const tolerance = parityTolerances(engine.manifest, profileName).degree;
      const queries = cases.map(({ structure, anchors, relations }) =>
        instantiate(structures[structure].template, anchors, relations),
      );
      const together = await engine.degrees(queries);
      const failures: string[] = [];
      for (const [i, { structure, sets }] of cases.entries()) {
        // A golden case whose members are nearly tied says nothing of sets.
        if (sets === null) continue;
        const [alone] = await engine.degrees([queries[i]!]);
        const expected = { ids: sets.ids, scores: sets.degrees };
        for (const degrees of [together[i]!, alone!]) {
          const { failure } = compareRanking(topK(degrees, k), expected, tolerance, 'degree');
          if (failure !== undefined) failures.push(`${structure}: ${failure}`);
        }
      }
      await engine.close();
      expectThat(failures.length === 0, failures.join('\n'));
    },
  },
  {
    name: 'answers a query as it does in a batch of others',
    async run({ source, sessions, profile, golden }) {
      const cases = golden.cases.filter((entry) => entry.structure === '1p');
      const session = await sessions.open(profile.structures!['1p'], source);
      const rows = [...cases, ...cases].map((entry) => entry.anchors[0]!);
      const relations = [...cases, ...cases].map((entry) => entry.relations[0]!);
      const together = await session.run(feeds1p(rows, relations));
      for (const [row, anchor] of rows.entries()) {
        const alone = await session.run(feeds1p([anchor], [relations[row]!]));
        const { failure } = compareNumbers(
          together['embedding']!.data.subarray(...rowOf(together['embedding']!, row)),
          alone['embedding']!.data,
          { absolute: 1e-6, relative: 1e-5 },
        );
        expectThat(failure === undefined, `row ${row}: ${failure}`);
      }
      await session.close();
    },
  },
  {
    name: 'gives the same numbers every time, also to calls that overlap',
    async run({ source, sessions, profile, golden }) {
      const entry = golden.cases.find(({ structure }) => structure === '1p')!;
      const session = await sessions.open(profile.structures!['1p'], source);
      const feeds = feeds1p([entry.anchors[0]!], [entry.relations[0]!]);
      const first = await session.run(feeds);
      const more = await Promise.all(Array.from({ length: 8 }, () => session.run(feeds)));
      for (const outputs of more) expectSame(outputs, first);
      await session.close();
    },
  },
  {
    name: 'gives values that later runs leave alone',
    async run({ source, sessions, profile }) {
      const session = await sessions.open(profile.operators.anchor, source);
      const first = (await session.run({ entities: int32([0]) }))['embedding']!;
      const kept = Array.from(first.data);
      await session.run({ entities: int32([1]) });
      await session.close();
      expectThat(
        kept.every((value, i) => value === first.data[i]),
        'an earlier result changed',
      );
    },
  },
  {
    name: 'ranks equal scores by the lower id, and what is not allowed last',
    async run({ source, sessions, profile, manifest }) {
      const { dimension, entities } = manifest.model;
      const session = await sessions.open(profile.rank, source);
      const nothing: TensorValue = { dims: [1, dimension], data: new Float32Array(dimension) };
      const allowed = Float32Array.from({ length: entities }, (_, id) => (id === 1 ? 0 : 1));
      const { ids, scores } = await session.run({
        embedding: nothing,
        allowed: { dims: [1, entities], data: allowed },
        k: int32([entities]),
      });
      await session.close();
      const found = Array.from(ids?.data ?? []);
      expectThat(found.slice(0, 4).join() === '0,2,3,4', `expected 0,2,3,4, got ${found.slice(0, 4)}`);
      expectThat(found.at(-1) === 1, `expected 1 last, got ${found.at(-1)}`);
      expectThat(scores?.data.at(-1) === -1, `expected the score −1, got ${scores?.data.at(-1)}`);
    },
  },
  {
    name: 'refuses an input that is missing or of another kind, and goes on',
    async run({ source, sessions, profile }) {
      const session = await sessions.open(profile.operators.anchor, source);
      await expectFailure('a missing input', () => session.run({}));
      const floats: TensorValue = { dims: [1], data: Float32Array.of(0) };
      await expectFailure('float32 for int32', () => session.run({ entities: floats }));
      await expectWorking(session);
      await session.close();
    },
  },
  {
    name: 'refuses an entity beyond the last, and goes on',
    async run({ source, sessions, profile, manifest }) {
      const session = await sessions.open(profile.operators.anchor, source);
      await expectFailure('an id too large', () =>
        session.run({ entities: int32([manifest.model.entities]) }),
      );
      await expectWorking(session);
      await session.close();
    },
  },
  {
    name: 'closes once the runs under way are done, and only once',
    async run({ source, sessions, profile }) {
      const session = await sessions.open(profile.operators.anchor, source);
      const running = session.run({ entities: int32([0]) });
      const closing = session.close();
      expectThat((await running)['embedding'] !== undefined, 'the run under way was lost');
      await closing;
      await session.close();
      await expectFailure('a run on a closed session', () => session.run({ entities: int32([0]) }));
    },
  },
  {
    name: 'refuses to open a graph that is not there',
    async run({ source, sessions, profile }) {
      const missing: GraphEntry = { ...profile.operators.anchor, path: 'models/absent.onnx' };
      await expectFailure('a missing graph', () => sessions.open(missing, source));
    },
  },
];
