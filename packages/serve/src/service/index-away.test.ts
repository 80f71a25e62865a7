import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { createBundleIndex, type EntityIndex, type IndexState, openBundle } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSettings } from '../settings/read-settings.ts';
import { createLog } from '../telemetry/log.ts';
import { type Service, startService } from './start-service.ts';

let [folder, logged, state]: [string, string, IndexState] = ['', '', 'ready'];
let service: Service;
let tell: ((state: IndexState, error?: FuzzError) => void) | undefined;
const faults = {
  away: new FuzzError('runtime', 'the entity index cannot be reached: connect ECONNREFUSED 10.0.0.7', {
    path: 't at postgres://10.0.0.7/kg',
    toCallers: 'The entity index t (postgres) cannot be reached.',
    passing: true,
  }),
  changed: new FuzzError('runtime', 'the entity index was changed: of another bundle', {
    path: 't at postgres://10.0.0.7/kg',
    toCallers: 'The entity index t (postgres) is not of this bundle any more.',
  }),
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-index-away-'));
  const memory = await memoryBundle();
  await exportMemoryBundle(folder, memory, { profiles: ['fp32'], golden: 2 });
  const write = (line: string): void => {
    logged += line;
  };
  const flags = {
    port: '0',
    workers: '0',
    closeNotice: '0',
    playground: 'off',
    index: 'postgres://10.0.0.7/kg',
  };
  service = await startService({
    bundles: [folder],
    settings: await readSettings({ flags, environment: {} }),
    log: createLog({ write }),
    async openIndex(_, onState) {
      tell = onState;
      const bundle = await openBundle(memory.source);
      const index = createBundleIndex(bundle, {
        sessions: referenceSessions(memory.config, memory.parameters),
      });
      return Object.defineProperties(Object.create(index), {
        name: { value: 't at postgres://10.0.0.7/kg' },
        state: { get: () => state },
        search: {
          value: (...asked: Parameters<EntityIndex['search']>) =>
            state === 'away' || state === 'changed' ? Promise.reject(faults[state]) : index.search(...asked),
        },
      }) as EntityIndex; // the same with another state
    },
  });
  await service.opened;
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

const change = (to: IndexState, error?: FuzzError): void => {
  state = to;
  tell?.(to, error);
};
async function seen() {
  const ask = async (mode: string) => {
    const response = await fetch(`${service.url}/v1/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'project(r0, e1)', k: 3, mode }),
    });
    return [response.status, ((await response.json()) as { detail?: string }).detail] as const; // a problem
  };
  const readyz = await fetch(`${service.url}/readyz`);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  return {
    ready: [readyz.status, await readyz.json()],
    gauge: /^fuzzqe_index_ready\{.*\} (\d)$/m.exec(metrics)?.[1],
    embedding: await ask('embedding'),
    sets: (await ask('sets'))[0],
  };
}

it('stays ready while its index is away, says so in three places, refuses by name what needs it and answers the rest', async () => {
  const { manifest } = (await service.opened)[0]!;
  const bodyOf = (index: string) => [200, { ok: true, indexes: { [manifest.name]: index } }];
  const answering = { ready: bodyOf('ready'), gauge: '1', embedding: [200, undefined], sets: 200 };
  expect(await seen()).toEqual(answering);
  const refusals = {
    away: [503, 'The entity index t (postgres) cannot be reached.'],
    changed: [500, 'The entity index t (postgres) is not of this bundle any more.'],
  };
  for (const other of ['away', 'changed'] as const) {
    change(other, faults[other]);
    expect(await seen()).toEqual({
      ready: bodyOf(other),
      gauge: '0',
      embedding: refusals[other],
      sets: 200,
    });
  }
  change('ready');
  expect(await seen()).toEqual(answering);
  expect(logged).toContain('the index does not answer');
  expect(logged).toContain('the index answers again');
});
