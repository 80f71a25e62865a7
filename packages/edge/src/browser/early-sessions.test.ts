import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BundleSource, type Profile, readManifest } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import type { Session, SessionFactory, TensorValues } from '@fuzzqe/engine';
import { describeSession, memoryBundle } from '@fuzzqe/engine/testing';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import * as ort from 'onnxruntime-web';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webSessions } from '../session.ts';
import { createEarlySessions } from './early-sessions.ts';

let directory: string;
let profile: Profile;
let source: BundleSource;
let reads: string[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fuzzqe-early-'));
  await exportMemoryBundle(directory, await memoryBundle());
  source = {
    location: directory,
    async read(path) {
      reads.push(path);
      return new Uint8Array(await readFile(join(directory, path)));
    },
  };
  reads = [];
  profile = (await readManifest(source)).profiles['fp32']!;
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const anchor: TensorValues = { entities: { dims: [1], data: Int32Array.of(0) } };

/** A runtime that gives one number, and what became of its sessions. */
function stubRuntime(refuses: (path: string) => boolean = () => false) {
  const seen = { opened: [] as string[], closed: [] as string[], sources: [] as BundleSource[] };
  const factory: SessionFactory = {
    runtime: 'stub',
    async open(graph, from): Promise<Session> {
      await Promise.all([graph.path, ...graph.weights].map((path) => from.read(path)));
      if (refuses(graph.path)) throw new FuzzError('runtime', `${graph.path}: refused`);
      seen.opened.push(graph.path);
      seen.sources.push(from);
      return {
        run: async () => ({ embedding: { dims: [1], data: Float32Array.of(7) } }),
        close: async () => void seen.closed.push(graph.path),
      };
    },
  };
  return { factory, seen };
}

describe('graphs that move to onnxruntime-web while they are used', () => {
  describeSession({ describe, it }, 'as they are', async () => {
    const sessions = createEarlySessions(
      async () => webSessions({ ort }),
      (cause) => expect.unreachable(`${cause}`),
    );
    setTimeout(() => void sessions.begin(), 5);
    return { source, sessions };
  });
});

it('run in JavaScript until the runtime has them open, and each file is read once for both', async () => {
  const { factory, seen } = stubRuntime();
  const sessions = createEarlySessions(
    async () => factory,
    () => expect.unreachable(),
  );
  reads = [];
  const session = await sessions.open(profile.operators.anchor, source);
  const first = (await session.run(anchor))['embedding']!.data;
  expect([sessions.runtime, first.length > 1]).toEqual(['JavaScript', true]);
  await Promise.all([sessions.begin(), sessions.begin()]);
  expect([sessions.runtime, (await session.run(anchor))['embedding']!.data]).toEqual([
    'stub',
    Float32Array.of(7),
  ]);
  expect(reads.toSorted()).toEqual([profile.operators.anchor.path, ...profile.operators.anchor.weights]);
  // A runtime keeps weights for all graphs that come from the same source.
  const [moved] = seen.sources;
  reads = [];
  await sessions.open(profile.links, source);
  await sessions.open(profile.links, source);
  expect(seen.sources.every((each) => each === moved)).toBe(true);
  // Nobody else will ask, so nothing is kept for that.
  expect(reads.filter((path) => path === profile.links.path)).toHaveLength(2);
  seen.opened.pop();
  expect(seen.opened).toEqual([profile.operators.anchor.path, profile.links.path]);
  await session.close();
  expect(seen.closed).toEqual([profile.operators.anchor.path]);
  await expect(session.run(anchor)).rejects.toMatchObject({ code: 'runtime', passing: true });
});

it('go on in JavaScript where the runtime does not begin, or does not open one of them', async () => {
  const heard: string[] = [];
  const hear = (cause: unknown): void => void heard.push(`${(cause as Error).message}`);
  const without = createEarlySessions(() => Promise.reject(new FuzzError('runtime', 'no such file')), hear);
  const session = await without.open(profile.operators.anchor, source);
  const { embedding } = await session.run(anchor);
  await without.begin();
  expect((await session.run(anchor))['embedding']).toEqual(embedding);
  expect(without.runtime).toBe('JavaScript');

  const { factory, seen } = stubRuntime((path) => path === profile.links.path);
  const some = createEarlySessions(async () => factory, hear);
  const [links, kept] = [
    await some.open(profile.links, source),
    await some.open(profile.operators.anchor, source),
  ];
  await some.begin();
  await expect(links.run({})).rejects.toThrow('input "heads"');
  expect((await kept.run(anchor))['embedding']!.data).toEqual(Float32Array.of(7));
  expect([seen.opened, heard]).toEqual([
    [profile.operators.anchor.path],
    ['no such file', `${profile.links.path}: refused`],
  ]);
});

it('are closed where they go, too, when they are closed on the way', async () => {
  const { factory, seen } = stubRuntime();
  let leave = (): void => undefined;
  let arrive = (): void => undefined;
  const left = new Promise<void>((settle) => {
    leave = settle;
  });
  const arrived = new Promise<void>((settle) => {
    arrive = settle;
  });
  const sessions = createEarlySessions(
    async () => ({
      ...factory,
      async open(...given) {
        leave();
        await arrived;
        return factory.open(...given);
      },
    }),
    () => expect.unreachable(),
  );
  const session = await sessions.open(profile.operators.anchor, source);
  const beginning = sessions.begin();
  await left;
  await session.close();
  arrive();
  await beginning;
  expect(seen).toMatchObject({
    opened: [profile.operators.anchor.path],
    closed: [profile.operators.anchor.path],
  });
});
