import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TinyBundle, tinyBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';

let bundle: TinyBundle;
let keys: string;
beforeAll(async () => {
  bundle = await tinyBundle();
  keys = await mkdtemp(join(tmpdir(), 'fuzzqe-keys-'));
  for (const name of ['ours', 'theirs']) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    await writeFile(join(keys, `${name}.pem`), privateKey.export({ format: 'pem', type: 'pkcs8' }));
    await writeFile(join(keys, `${name}.pub`), publicKey.export({ format: 'pem', type: 'spki' }));
  }
});
afterAll(() =>
  Promise.all([bundle.directory, keys].map((path) => rm(path, { recursive: true, force: true }))),
);

/** Every command that opens a bundle by itself, asked to hold it to a key. */
const commands = (key: string): readonly (readonly string[])[] => {
  const { directory } = bundle;
  const flags = ['--require-signature', join(keys, key)];
  return [
    ['query', directory, 'project(r0, e1)', ...flags],
    ['names', directory, ...flags],
    ['parity', directory, '--runtimes', 'node', '--fresh', '2', '--trees', '0', ...flags],
    ['serve', directory, '--port', '0', ...flags],
  ];
};

describe('fuzzqe sign', () => {
  it('signs a bundle, which others refuse by the same option before and with another key', async () => {
    const refused = { code: 6, notes: expect.stringMatching(/manifest.json.sig: signature: expected/) };
    for (const command of commands('ours.pub')) expect(await fuzzqe(...command)).toMatchObject(refused);
    expect(await fuzzqe('sign', bundle.directory, '--key', join(keys, 'ours.pem'))).toMatchObject({
      code: 0,
      notes: expect.stringMatching(/^Signed tiny with the key [0-9a-f]{16}\nNext: .* --require-signature …$/),
    });
    for (const command of commands('ours.pub').slice(0, 3))
      expect(await fuzzqe(...command)).toMatchObject({ code: 0 });
    for (const command of commands('theirs.pub')) expect(await fuzzqe(...command)).toMatchObject(refused);
  });

  it('says which file is no key, and nothing of what is in it', async () => {
    const query = (key: string) => fuzzqe(...commands(key)[0]!);
    expect(await query('ours.pem')).toMatchObject({
      code: 2,
      notes: expect.stringMatching(/ours\.pem: expected an Ed25519 public key in PEM, got something else/),
    });
    expect(await query('absent')).toMatchObject({
      code: 2,
      notes: expect.stringMatching(/absent: expected a file with a key in PEM, got nothing/),
    });
    expect(await query('.')).toMatchObject({ code: 2, notes: expect.stringMatching(/got something else/) });
    expect(await fuzzqe('sign', bundle.directory, '--key', join(keys, 'ours.pub'))).toMatchObject({
      code: 2,
      notes: expect.stringMatching(/ours\.pub: expected an Ed25519 private key in PEM/),
    });
  });

  it('signs nothing in the cache of bundles of the Hub', async () => {
    expect(await fuzzqe('sign', 'hf://ann/mine', '--key', join(keys, 'ours.pem'))).toMatchObject({
      code: 2,
      notes: expect.stringMatching(
        /expected a folder, got hf:\/\/ann\/mine.*\n.*Sign the folder that is uploaded/s,
      ),
    });
  });

  it('signs no bundle that is damaged', async () => {
    const damaged = await tinyBundle();
    await writeFile(join(damaged.directory, 'README.md'), 'another card');
    expect(await fuzzqe('sign', damaged.directory, '--key', join(keys, 'ours.pem'))).toMatchObject({
      code: 6,
      notes: expect.stringMatching(/README.md: /),
    });
    await rm(damaged.directory, { recursive: true });
  });
});
