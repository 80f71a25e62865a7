import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createRandom } from '@fuzzqe/core';
import { sampleQuerySets } from '@fuzzqe/data';
import { tinyDataset } from '@fuzzqe/data/testing';
import {
  createSweep,
  openStore,
  runSweep,
  type SweepFile,
  s3Settings,
  s3Store,
  sweepStatus,
  writeBestTrial,
} from '@fuzzqe/sweep';
import { describeSweepStore } from '@fuzzqe/sweep/testing';
import { loadBest, ortCpuRuntime, plainTraining } from '@fuzzqe/train';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = process.env['FUZZQE_S3_SERVER_FOLDER'] ?? join(tmpdir(), 'fuzzqe-versitygw-1.8.0');
const built = spawnSync(join(here, 'versitygw.sh'), [folder], { encoding: 'utf8' });
const isThere = built.status === 0;
const why = built.stdout?.trim() ?? '';
const isRequired = process.env['FUZZQE_REQUIRE_RUNTIMES'] === '1';

// A skip is an error where CI promises that nothing is left out.
it.runIf(!isThere)(`has no server to be tested with: ${why}`, ({ skip }) => {
  expect(isRequired, why).toBe(false);
  skip(why);
});

describe.runIf(isThere)('VersityGW, a server of S3 that checks signatures', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'fuzzqe-s3-'));
  const keys = { AWS_ACCESS_KEY_ID: 'fuzzqe', AWS_SECRET_ACCESS_KEY: 'a secret of the test' };
  const environment = { ...keys, AWS_ENDPOINT_URL: '' };
  let server: ChildProcess;

  beforeAll(async () => {
    const data = join(scratch, 'data');
    mkdirSync(data);
    const port = await freePort();
    environment.AWS_ENDPOINT_URL = `http://127.0.0.1:${port}`;
    server = spawn(join(folder, 'versitygw'), ['--quiet', '--port', `127.0.0.1:${port}`, 'posix', data], {
      env: {
        ...process.env,
        ROOT_ACCESS_KEY: keys.AWS_ACCESS_KEY_ID,
        ROOT_SECRET_KEY: keys.AWS_SECRET_ACCESS_KEY,
      },
      stdio: 'ignore',
    });
    const answers = (): Promise<boolean> =>
      fetch(environment.AWS_ENDPOINT_URL).then(
        () => true,
        () => false,
      );
    for (let i = 0; i < 600 && !(await answers()); i += 1) await setTimeout(50);
    // A bucket of this server is a folder.
    await mkdir(join(data, 'sweeps'));
  });
  afterAll(async () => {
    const end = once(server, 'exit');
    server.kill();
    await end;
    rmSync(scratch, { recursive: true });
  });

  const settings = (prefix: string): ReturnType<typeof s3Settings> =>
    s3Settings(`s3://sweeps/${prefix}`, environment);
  let prefixes = 0;
  const newPrefix = (): string => {
    prefixes += 1;
    return `prefix-${prefixes}`;
  };

  describeSweepStore(
    'of a real server',
    { describe, it, expect },
    {
      async open() {
        const one = settings(newPrefix());
        // Parts of 5 MiB are the smallest that S3 takes.
        return [s3Store(one, { partBytes: 5 * 2 ** 20 }), s3Store(one, { partBytes: 5 * 2 ** 20 })];
      },
      largeFile: 12 * 2 ** 20 + 7,
    },
  );

  it('lists more keys than one answer holds', async () => {
    const store = s3Store(settings(newPrefix()));
    const names = Array.from({ length: 1100 }, (_, i) => `k/${String(i).padStart(4, '0')}`);
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(names.slice(at, at + 50).map((key) => store.write(key, '')));
    expect(await store.list('k/')).toEqual(names);
  });

  it('refuses wrong credentials and unknown buckets, which the errors say without the secret', async () => {
    const wrong = s3Settings('s3://sweeps/x', { ...environment, AWS_SECRET_ACCESS_KEY: 'another-secret' });
    const error: unknown = await s3Store(wrong)
      .write('a', '')
      .catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      code: 'runtime',
      message: expect.stringContaining('403 SignatureDoesNotMatch'),
    });
    expect(`${error} ${JSON.stringify(error)} ${(error as Error).stack}`).not.toMatch(
      /another-secret|a secret of/,
    );
    const unknown = s3Store(s3Settings('s3://nobody/x', environment));
    await expect(unknown.read('a')).rejects.toThrow(/no such bucket/);
    await expect(unknown.expectExclusive()).rejects.toThrow(/no such bucket/);
  });

  it('holds a sweep that two processes share, one of which is stopped', async () => {
    const dataset = tinyDataset('tiny', 1);
    const sizes = { train: 20, valid: 5, test: 1 };
    const queries = await sampleQuerySets(dataset, { sizes, random: createRandom('queries') });
    const base = {
      ...plainTraining,
      ...{
        batch: { '1p': 6, '2p': 3 },
        steps: 20,
        seed: 3,
        validation: { every: 5, patience: 1000, mode: 'embedding' as const },
      },
    };
    const file: SweepFile = {
      strategy: 'grid',
      seed: 1,
      budget: {},
      objective: { metric: 'mrr', direction: 'maximize' },
      parameters: { 'optimiser.learningRate': { choices: [0.000001, 0.01, 0.03, 0.1] } },
    };
    const sweep = createSweep(file, base, { name: 'tiny', sha256: '', queries: {} });
    Object.assign(process.env, environment);
    const address = `s3://sweeps/${newPrefix()}`;
    const stop = new AbortController();
    const common = {
      sweep,
      dataset,
      queries,
      threads: 1,
      runtime: ortCpuRuntime({ threads: 1 }),
      folder: join(scratch, 'work'),
    };
    const first = await runSweep({
      ...{ ...common, store: openStore(address), signal: stop.signal },
      observer: { onStep: ({ step }) => void (step === 8 && stop.abort()) },
    });
    expect(first).toMatchObject({ ended: 'interrupted', trials: [{ kind: 'interrupted', step: 8 }] });
    const steps: number[] = [];
    const observer = { onStep: ({ step }: { step: number }): void => void steps.push(step) };
    const both = await Promise.all([
      runSweep({ ...common, store: openStore(address), observer }),
      runSweep({ ...common, store: openStore(address), observer }),
    ]);
    expect(both.flatMap(({ trials }) => trials)).toHaveLength(4);
    // Twelve steps that were left of the one that was stopped, and all of three.
    expect(steps).toHaveLength(12 + 60);
    const { trials, best } = await sweepStatus(openStore(address));
    expect(trials.map(({ state }) => state)).toEqual(['finished', 'finished', 'finished', 'finished']);
    const out = join(scratch, 'best');
    await writeBestTrial(openStore(address), out);
    expect((await loadBest(out)).state.best!.mrr).toBe(best!.best!.value);
    expect(await readdir(join(scratch, 'work'))).toEqual([]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
