import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { profileOf, readManifest } from '@fuzzqe/bundle';
import { linksAmongOf } from '@fuzzqe/engine/derived';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { type ProfileName, profileNames } from '@fuzzqe/export';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderSource, nodeSessions } from './index.ts';

let directory = '';
const forms = ['bases', 'blocks'] as const;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fuzzqe-among-'));
  for (const relationForm of forms)
    await exportMemoryBundle(join(directory, relationForm), await memoryBundle({ relationForm }), {
      profiles: relationForm === 'bases' ? profileNames : ['fp32', 'int8'],
      golden: 1,
    });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function openBoth(folder: string, profile: ProfileName) {
  const source = folderSource(folder);
  const manifest = await readManifest(source);
  const chosen = profileOf(manifest, profile);
  const derived = await linksAmongOf(source, chosen, manifest.model, 1);
  return { source, manifest, chosen, derived, sessions: nodeSessions(folder, { threads: 1 }) };
}

describe.each([
  ...profileNames.map((name) => [name, 'bases'] as const),
  ...(['fp32', 'int8'] as const).map((name) => [name, 'blocks'] as const),
])('the links among some tails in %s with %s', (name, form) => {
  it('have the scores that the graph of all tails gives them', async () => {
    const { source, manifest, chosen, derived, sessions } = await openBoth(join(directory, form), name);
    const { entities } = manifest.model;
    const heads = { dims: [3], data: Int32Array.of(4, 0, 9) };
    const relations = { dims: [3], data: Int32Array.of(1, 2, 5) };
    const ids = Int32Array.of(7, 3, entities - 1, 0);
    const whole = await sessions.open(chosen.links, source);
    const { scores: all } = await whole.run({ heads, relations });
    const among = await sessions.openDerived!(derived!, source);
    const { scores } = await among.run({ heads, relations, ids: { dims: [4], data: ids } });
    await Promise.all([whole.close(), among.close()]);
    expect(scores!.dims).toEqual([3, 4]);
    const expected = [0, 1, 2].flatMap((row) => Array.from(ids, (id) => all!.data[row * entities + id]!));
    const apart = expected.map((score, i) => Math.abs(score - scores!.data[i]!));
    // Codes of whole numbers are off by as much; among some tails their rows are exact.
    expect(Math.max(...apart)).toBeLessThan(name.startsWith('int8') ? 0.02 : 1e-5);
    expect(Math.max(...expected) - Math.min(...expected)).toBeGreaterThan(0.05);
  });
});

it('are left to the whole graph where entities are few', async () => {
  const { source, manifest, chosen } = await openBoth(join(directory, 'blocks'), 'fp32');
  expect(await linksAmongOf(source, chosen, manifest.model)).toBeUndefined();
});
