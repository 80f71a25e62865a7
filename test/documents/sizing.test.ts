import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultSets, exportBundle, profileSize, targets } from '@fuzzqe/export';
import { describe, expect, it } from 'vitest';
import { bundleBytes, memoryMargin, replicas, serveBytes, sizingTable } from '../../scripts/sizing.mjs';
import { randomModel } from '../fixtures/random-model.ts';

const document = readFileSync(new URL('../../docs/scale.md', import.meta.url), 'utf8');

describe('docs/scale.md', () => {
  it('has the table that the script computes', async () => {
    expect(document).toContain(await sizingTable());
  });

  it('counts the bytes of a bundle as they are written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-sizing-'));
    try {
      const model = randomModel('product');
      const { config, graph } = model;
      const profiles = ['fp32', 'int8'] as const;
      const { files } = await exportBundle({
        ...model,
        directory: join(folder, 'bundle'),
        name: 'sizing',
        sets: defaultSets(config),
        training: {},
        metrics: {},
        k: 10,
        profiles,
      });
      const bytesOf = (grows: (path: string) => boolean): number =>
        Object.entries(files).reduce((sum, [path, { bytes }]) => sum + (grows(path) ? bytes : 0), 0);
      const isFixed = (path: string): boolean =>
        /(README\.md|golden\.json|evidence\.json|rules\.tsv)$/.test(path);
      const sizes = await Promise.all(profiles.map((name) => profileSize(config, name, targets.node)));
      const formula = bundleBytes({
        profileBytes: sizes.reduce((sum, size) => sum + size, 0),
        facts: graph.edgeCount / 2,
        nameBytes: bytesOf((path) => path.startsWith('vocabulary/')),
      });
      expect(bytesOf((path) => !isFixed(path))).toBe(formula);
      expect(bytesOf(isFixed)).toBeLessThan(2e6);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('says what a server was seen to take, within the margin of the formula', () => {
    const rows = [...document.matchAll(/^\| `serve`, (\d+) workers? \|(.*)\|$/gm)].map(
      ([, workers, rest]) => {
        const [entities, facts, weights, table, measured] = rest!
          .split('|')
          .map((cell) => Number(cell.replaceAll(/[^\d.]/g, '')));
        const [counts, bytes] = [
          { entities: entities!, facts: facts!, workers: Number(workers) },
          { weights: 1e6 * weights!, table: 1e6 * table! },
        ];
        const of = { ...counts, ...bytes };
        return { formula: serveBytes(of), measured: 1e6 * measured! };
      },
    );
    expect(rows.length).toBeGreaterThan(5);
    for (const { formula, measured } of rows)
      expect(Math.abs(measured / formula - 1)).toBeLessThan(memoryMargin);
  });

  it('counts more replicas for slower queries, and one at least', () => {
    expect([replicas(0.01), replicas(12), replicas(120)]).toEqual([1, 10, 100]);
  });
});
