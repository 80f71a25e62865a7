import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyBundle } from '@fuzzqe/bundle';
import { expect, it } from 'vitest';
import { exportBundle } from '../../bundle/export-bundle.ts';
import { listFiles } from '../../files/replace-folder.ts';
import { sampleExport } from '../../testing/sample.ts';
import { inTemporaryFolder, readFolder } from '../../testing/temporary-folder.ts';
import { writeHubBundle } from './write-hub-bundle.ts';

const everyFile = async (folder: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    await Promise.all(
      (await listFiles(folder)).map(
        async (path) => [path, await readFile(join(folder, path), 'latin1')] as const,
      ),
    ),
  );

const metrics = {
  'countries/test': { averages: { positive: { mrr: 0.25, hits10: 0.5 } }, queries: 3 },
};

it('a bundle that is there becomes what the export of its run for the Hub is, byte for byte', () =>
  inTemporaryFolder(async (folder) => {
    const [node, direct, directory] = ['node', 'direct', 'hub'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const options = { ...sampleExport(), metrics, profiles: ['fp32', 'int8'] as const };
    await exportBundle({ ...options, directory: node });
    await exportBundle({ ...options, directory: direct, target: 'hf' });
    const hub = { source: readFolder(node), bundle: node, directory };
    const manifest = await writeHubBundle(hub);
    expect(await everyFile(directory)).toEqual(await everyFile(direct));
    expect((await verifyBundle(readFolder(directory))).sha256).toBe(manifest.sha256);
    // Again, from what it has written, and under another name.
    await writeHubBundle({ source: readFolder(directory), bundle: directory, directory: node });
    expect(await everyFile(node)).toEqual(await everyFile(direct));
    expect(await writeHubBundle({ ...hub, name: 'another' })).toMatchObject({ name: 'another' });
    expect(await readFile(join(directory, 'README.md'), 'utf8')).toContain('\n---\n\n# another\n');
  }));

it('a bundle that is damaged or for Workers is refused, and nothing is written', () =>
  inTemporaryFolder(async (folder) => {
    const [bundle, directory] = [join(folder, 'bundle'), join(folder, 'hub')];
    await exportBundle({ ...sampleExport(), directory: bundle, target: 'workers' });
    const refused = (): Promise<unknown> =>
      writeHubBundle({ source: readFolder(bundle), bundle, directory }).catch((error: unknown) => error);
    expect(await refused()).toMatchObject({ code: 'usage', hint: expect.stringContaining('--target hf') });
    await exportBundle({ ...sampleExport(), directory: bundle });
    await writeFile(join(bundle, 'facts.bin'), new Uint8Array(12));
    expect(await refused()).toMatchObject({ code: 'bundle', path: 'facts.bin' });
    expect(await listFiles(folder)).not.toContainEqual(expect.stringMatching(/^hub/));
  }));
