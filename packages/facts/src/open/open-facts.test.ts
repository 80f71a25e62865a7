import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openFacts } from '../index.ts';

const secret = 'never-to-be-seen';

it.each([
  [`mysql://a:${secret}@host/db`, 'usage', 'expected DIR, postgres://host/database'],
  [`http://a:${secret}@host/query`, 'usage', 'sparql+http://'],
  ['postgres:', 'storage', 'PostgreSQL'],
  [`postgresql://a:${secret}@127.0.0.1:1/db`, 'storage', 'PostgreSQL: connect ECONNREFUSED'],
  [`SPARQL+HTTP://a:${secret}@127.0.0.1:1/query`, 'storage', 'RDF store: fetch failed'],
  ['sparql+http:', 'usage', 'sparql+http://host/query'],
])('a store of facts named %s is refused', async (address, code, text) => {
  const error: unknown = await openFacts(address).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ name: 'FuzzError', code });
  expect(String(error)).toContain(text);
  expect(String(error)).not.toContain(secret);
});

it('a store of facts named by a path is a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-open-facts-'));
  const store = await openFacts(join(folder, 'facts'));
  expect([store.epoch, store.arrivals]).toEqual([0, undefined]);
  await store.close();
  await rm(folder, { recursive: true });
});
