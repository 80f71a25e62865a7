import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { parseQueryText } from '@fuzzqe/core/query';
import { type EngineOptions, openEngine } from '@fuzzqe/engine';
import { signBundle } from '@fuzzqe/export';
import { rewriteManifest, seal, tinyBundle } from '@fuzzqe/parity/testing';
import { folderSource } from '@fuzzqe/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onRuntime } from '../fixtures/runtimes.ts';

const pem = (key: KeyObject): string =>
  key.export({ format: 'pem', type: key.type === 'private' ? 'pkcs8' : 'spki' }).toString();
const keyPair = (): { readonly secret: string; readonly known: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { secret: pem(privateKey), known: pem(publicKey) };
};
const [ours, theirs] = [keyPair(), keyPair()];
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 });

let whole: string;
beforeAll(async () => {
  whole = (await tinyBundle()).directory;
  await signBundle(whole, ours.secret);
});
afterAll(() => rm(whole, { recursive: true, force: true }));

/** A copy of the signed bundle to which something was done. */
async function withCopy<T>(
  damage: (copy: string) => Promise<unknown>,
  use: (copy: string) => Promise<T>,
): Promise<T> {
  const copy = await mkdtemp(join(tmpdir(), 'fuzzqe-signed-'));
  try {
    await cp(whole, copy, { recursive: true });
    await damage(copy);
    return await use(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

const open = async (directory: string, options: Partial<EngineOptions>): Promise<string> => {
  const engine = await openEngine({ ...onRuntime('onnxruntime-node cpu', directory), ...options });
  const { answers } = await engine.answer(parseQueryText('project(r0, e1)', engine.vocabulary), {
    minDegree: 0,
  });
  await engine.close();
  return answers[0]!.key;
};
const signature = (copy: string): string => join(copy, 'manifest.json.sig');

describe('a signature that is asked for', () => {
  it('lets the bundle through that has it, and nobody needs one who does not ask', async () => {
    const first = await open(whole, { requireSignature: ours.known });
    expect(await open(whole, {})).toBe(first);
    await withCopy(
      (copy) => rm(signature(copy)),
      async (copy) => expect(await open(copy, {})).toBe(first),
    );
  });

  it.each<[string, (copy: string) => Promise<unknown>, RegExp]>([
    ['is missing', (copy) => rm(signature(copy)), /signature: expected 64 bytes, got none that can be read/],
    [
      'is cut off',
      async (copy) => writeFile(signature(copy), (await readFile(signature(copy))).subarray(1)),
      /damaged: expected 64 bytes, got 63/,
    ],
    [
      'is longer',
      (copy) => writeFile(signature(copy), new Uint8Array(65)),
      /got none that can be read: too long/,
    ],
    [
      'has a changed byte',
      async (copy) =>
        writeFile(
          signature(copy),
          (await readFile(signature(copy))).map((byte, i) => (i === 9 ? byte ^ 1 : byte)),
        ),
      /got one by another key or of another manifest/,
    ],
    [
      'is by another key',
      (copy) => signBundle(copy, theirs.secret),
      /by the key [0-9a-f]{16}, got one by another key/,
    ],
    [
      'is of the manifest before somebody changed it, digests and all',
      async (copy) => {
        await writeFile(join(copy, 'README.md'), '# Another card');
        await seal(copy);
      },
      /got one by another key or of another manifest/,
    ],
    [
      'is of a manifest with other numbers of projections',
      (copy) =>
        rewriteManifest(copy, ({ sets }) => ({
          sets: { ...sets, projection: { ...sets.projection, support: 0.5 } },
        })),
      /got one by another key or of another manifest/,
    ],
  ])('refuses a bundle where it %s', (_, damage, message) =>
    withCopy(damage, async (copy) => {
      const refused = { code: 'bundle', path: 'manifest.json.sig', message: expect.stringMatching(message) };
      await expect(open(copy, { requireSignature: ours.known })).rejects.toMatchObject(refused);
      // The control: without it nobody notices, for the bundle is whole.
      await open(copy, {});
    }),
  );

  it('that is away for a moment is not called missing', async () => {
    const { source } = onRuntime('onnxruntime-node cpu', whole);
    const away = (passing: boolean) => ({
      ...source,
      async read(...given: Parameters<typeof source.read>) {
        if (given[0] === 'manifest.json.sig') throw new FuzzError('bundle', 'no answer', { passing });
        return source.read(...given);
      },
    });
    const opening = (passing: boolean) =>
      open(whole, { requireSignature: ours.known, source: away(passing) }).catch((error: unknown) => error);
    expect(await opening(true)).toMatchObject({ passing: true, message: 'no answer' });
    expect(await opening(false)).toMatchObject({ passing: false, path: 'manifest.json.sig' });
  });

  it('holds every file: one that was changed afterwards is no longer that of the manifest', () =>
    withCopy(
      (copy) => writeFile(join(copy, 'vocabulary/entities.tsv'), 'other names'),
      async (copy) => {
        const refused = { code: 'bundle', message: /vocabulary\/entities.tsv: / };
        await expect(open(copy, { requireSignature: ours.known })).rejects.toMatchObject(refused);
      },
    ));

  it('is none where files are not compared', async () => {
    const opening = open(whole, { requireSignature: ours.known, verify: false });
    await expect(opening).rejects.toMatchObject({ code: 'usage' });
  });

  it.each([
    ['a private key', () => ours.secret],
    ['a key of another kind', () => pem(rsa.publicKey)],
    ['no key', () => 'ssh-ed25519 AAAA'],
    ['two keys', () => ours.known + theirs.known],
    ['nothing', () => ''],
  ])('is no word about %s in place of the public key', async (_, key) => {
    const refused = await open(whole, { requireSignature: key() }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'usage', message: /expected an Ed25519 public key in PEM/ });
    expect(`${refused}`).not.toContain(key().split('\n')[1] ?? 'AAAA');
  });

  it.each([
    ['a public key', () => ours.known],
    ['a key of another kind', () => pem(rsa.privateKey)],
    ['no key', () => 'secret'],
  ])('is not made with %s, and what was given is not said', async (_, key) => {
    const refused = await signBundle(whole, key()).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'usage', message: /expected an Ed25519 private key in PEM/ });
    expect(`${refused} ${(refused as Error).cause}`).not.toContain(key().split('\n').at(1) ?? key());
  });

  it('is one more file of the folder, which verification and another signature take for granted', async () => {
    expect(await readdir(whole)).toContain('manifest.json.sig');
    expect(await folderSource(whole).list!()).toContain('manifest.json.sig');
    await withCopy(
      (copy) => signBundle(copy, theirs.secret),
      (copy) => open(copy, { requireSignature: theirs.known }),
    );
  });
});
