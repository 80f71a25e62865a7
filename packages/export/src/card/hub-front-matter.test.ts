import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseManifest, verifyBundle } from '@fuzzqe/bundle';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { exportBundle } from '../bundle/export-bundle.ts';
import { listFiles } from '../files/replace-folder.ts';
import { sampleExport } from '../testing/sample.ts';
import { inTemporaryFolder, readFolder } from '../testing/temporary-folder.ts';
import { hubFrontMatter } from './hub-front-matter.ts';

const frontOf = (card: string): unknown => parse(/^---\n([\s\S]*?)\n---\n/.exec(card)![1]!);

const metrics = {
  'countries/test': { averages: { positive: { mrr: 0.25, hits10: 0.5 } }, queries: 3 },
};

describe('a bundle as a repository of the Hub', () => {
  it('is a whole bundle whose card begins with what the Hub reads', () =>
    inTemporaryFolder(async (folder) => {
      const directory = join(folder, 'mine');
      const options = { ...sampleExport(), directory, target: 'hf' as const, metrics };
      const manifest = await exportBundle(options);
      expect((await verifyBundle(readFolder(directory))).sha256).toBe(manifest.sha256);
      const card = await readFile(join(directory, 'README.md'), 'utf8');
      expect(frontOf(card)).toEqual({
        license: 'cc0-1.0',
        library_name: 'fuzzqe',
        pipeline_tag: 'graph-ml',
        tags: [
          'fuzzqe',
          'onnx',
          'knowledge-graph',
          'complex-query-answering',
          'link-prediction',
          `${manifest.model.logic}-logic`,
        ],
        datasets: ['random'],
        metrics: ['mrr', 'hits10'],
        'model-index': [
          {
            name: 'sample',
            results: [
              {
                task: { type: 'graph-ml', name: 'Complex query answering' },
                dataset: { type: 'random', name: 'random' },
                metrics: [
                  { type: 'mrr', name: 'MRR, positive, countries/test', value: 0.25 },
                  { type: 'hits10', name: 'Hits@10, positive, countries/test', value: 0.5 },
                ],
              },
            ],
          },
        ],
      });
      expect(card).toContain('\n---\n\n# sample\n');
      const attributes = await readFile(join(directory, '.gitattributes'), 'utf8');
      expect(attributes).toContain('*.onnx filter=lfs diff=lfs merge=lfs -text\n');
      expect(attributes).toContain('*.bin filter=lfs diff=lfs merge=lfs -text\n');
      // It is replaced like any bundle, and one for servers leaves nothing of it behind.
      await exportBundle(options);
      await exportBundle({ ...options, target: 'node' });
      expect(await listFiles(directory)).not.toContain('.gitattributes');
      expect(await readFile(join(directory, 'README.md'), 'utf8')).toMatch(/^# sample/);
    }));

  it('keeps what names and licences say, whatever stands in them', () =>
    inTemporaryFolder(async (folder) => {
      const directory = join(folder, 'mine');
      await exportBundle({ ...sampleExport(), directory });
      const manifest = parseManifest(JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')));
      const front = (changes: Partial<typeof manifest>): unknown =>
        frontOf(hubFrontMatter({ ...manifest, ...changes }));
      const name = '---\n"a": \u007f#\u2028\t\\';
      const data = { ...manifest.data, name, licence: 'My own: licence, 2.0!' };
      expect(front({ data })).toMatchObject({
        license: 'other',
        license_name: 'my-own-licence-2.0',
        datasets: [name],
      });
      expect(front({ data: { ...data, licence: 'ODbL-1.0' } })).toMatchObject({ license: 'odbl' });
      expect(front({ metrics: {} })).not.toHaveProperty('model-index');
      expect(front({ metrics, name })).toMatchObject({ 'model-index': [{ name }] });
    }));
});
