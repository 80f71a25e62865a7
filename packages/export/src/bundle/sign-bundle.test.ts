import { generateKeyPairSync } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inTemporaryFolder } from '../testing/temporary-folder.ts';
import { signBundle } from './sign-bundle.ts';

it('signs by no key of another kind, and says nothing of it', () =>
  inTemporaryFolder(async (folder) => {
    await writeFile(join(folder, 'manifest.json'), '{}');
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    for (const key of [privateKey, 'secret']) {
      const refused: unknown = await signBundle(folder, key).catch((cause: unknown) => cause);
      expect(refused).toMatchObject({ code: 'usage', path: 'private key' });
      expect(String(refused)).not.toContain(key.split('\n').at(-3) ?? key);
    }
    expect(await readdir(folder)).toEqual(['manifest.json']);
  }));
