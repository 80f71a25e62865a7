import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { splitFiles } from '../targets/split-files.ts';
import { inTemporaryFolder } from '../testing/temporary-folder.ts';
import { folderWriter } from './folder-writer.ts';
import { listFiles, replaceFolder } from './replace-folder.ts';

/** A bundle as far as its files go, whose weights lie in parts. */
async function writeBundleInParts(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const writer = folderWriter(folder);
  await writer.write('models/weights.bin', new Uint8Array(24));
  const files = await splitFiles(folder, { ...writer.files }, writer, 10);
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ format: 'fuzzqe-bundle', files }));
}

it('replaces a bundle whose files lie in parts', () =>
  inTemporaryFolder(async (root) => {
    const bundle = join(root, 'bundle');
    await writeBundleInParts(bundle);
    await replaceFolder(bundle, (folder) => writeFile(join(folder, 'new'), ''));
    expect(await listFiles(bundle)).toEqual(['new']);
  }));

it('keeps a bundle in parts beside which lies a file of another', () =>
  inTemporaryFolder(async (root) => {
    const bundle = join(root, 'bundle');
    await writeBundleInParts(bundle);
    await writeFile(join(bundle, 'models/weights.bin.3'), '');
    const before = await listFiles(bundle);
    await expect(replaceFolder(bundle, async () => undefined)).rejects.toThrow('weights.bin.3');
    expect(await listFiles(bundle)).toEqual(before);
  }));
