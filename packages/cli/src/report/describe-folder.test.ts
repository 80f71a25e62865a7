import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeFolder } from './describe-folder.ts';

it('counts the files in all folders of a folder, and their bytes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-folder-'));
  await mkdir(join(folder, 'models', 'fp32'), { recursive: true });
  await writeFile(join(folder, 'manifest.json'), 'x'.repeat(1200));
  await writeFile(join(folder, '.gitattributes'), 'x'.repeat(300));
  await writeFile(join(folder, 'models', 'fp32', 'rank.onnx'), 'x'.repeat(2600));
  expect(describeFolder(folder)).toBe('3 files, 4 kB');
  await rm(folder, { recursive: true });
});
