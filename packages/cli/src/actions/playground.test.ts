import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { edgeMemory, parseManifest, profileOf } from '@fuzzqe/bundle';
import { tinyBundle } from '@fuzzqe/parity/testing';
import { afterAll, expect, it } from 'vitest';
import { runFuzzqe } from '../testing/run-fuzzqe.ts';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

it('writes no site with a bundle that was made without its facts, which the page needs', async () => {
  const whole = await tinyBundle('tiny', ['int8-basis'], 'workers');
  folders.push(whole.directory);
  const manifest = parseManifest(JSON.parse(await readFile(join(whole.directory, 'manifest.json'), 'utf8')));
  const { total } = edgeMemory(manifest, profileOf(manifest, 'int8-basis'));
  const small = await tinyBundle('tiny', ['int8-basis'], 'workers', { memory: total - 1 });
  folders.push(small.directory);
  const out = join(small.directory, 'site');
  expect(await runFuzzqe('playground', small.directory, '--out', out)).toMatchObject({
    code: 2,
    notes: expect.stringMatching(/expected one with its facts, got one without[\s\S]*--target workers/),
  });
});
