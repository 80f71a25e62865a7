import { joinParts } from '@fuzzqe/bundle';
import { describe, expect, it } from 'vitest';
import { folderWriter } from '../files/folder-writer.ts';
import { listFiles } from '../files/replace-folder.ts';
import { inTemporaryFolder, readFolder } from '../testing/temporary-folder.ts';
import { splitFiles } from './split-files.ts';

describe('splitFiles', () => {
  it.each([
    [10, ['0', '1', '2']],
    [12, ['0', '1']],
    [13, ['0', '1']],
  ])('cuts what is larger than %d bytes, and nothing else', (partBytes, parts) =>
    inTemporaryFolder(async (folder) => {
      const writer = folderWriter(folder);
      const large = Uint8Array.from({ length: 24 }, (_, i) => i);
      await writer.write('models/weights.bin', large);
      await writer.write('facts.bin', large.subarray(0, 10));
      const files = await splitFiles(folder, { ...writer.files }, writer, partBytes);
      expect(files['facts.bin']).toEqual(writer.files['facts.bin']);
      const names = parts.map((part) => `models/weights.bin.${part}`);
      expect((await listFiles(folder)).toSorted()).toEqual(['facts.bin', ...names]);
      for (const { bytes } of files['models/weights.bin']!.parts!)
        expect(bytes).toBeLessThanOrEqual(partBytes);
      const joined = joinParts(readFolder(folder), { files });
      expect(await joined.read('models/weights.bin')).toEqual(large);
    }),
  );
});
