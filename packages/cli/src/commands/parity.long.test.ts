import { copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundlePaths, type Golden } from '@fuzzqe/bundle';
import { pageIcon } from '@fuzzqe/core/text';
import type { ParityMatrix } from '@fuzzqe/parity';
import {
  placeGraph,
  rewriteManifest,
  rewriteRows,
  seal,
  type TinyBundle,
  tinyBundle,
  weightsIn,
} from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe } from '../testing/run-fuzzqe.ts';

let bundle: TinyBundle;
let other: TinyBundle;
let folder: string;
beforeAll(async () => {
  bundle = await tinyBundle();
  other = await tinyBundle('another run');
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-parity-'));
});
afterAll(() =>
  Promise.all(
    [bundle.directory, other.directory, folder].map((path) => rm(path, { recursive: true, force: true })),
  ),
);

const parity = (directory: string, ...flags: readonly string[]): ReturnType<typeof runFuzzqe> =>
  runFuzzqe('parity', directory, '--runtimes', 'node', '--fresh', '2', '--trees', '5', ...flags);

/** A copy with something wrong in it, which its digests do not show. */
async function damaged(damage: (directory: string) => Promise<unknown>): Promise<string> {
  const copy = await mkdtemp(join(folder, 'damaged-'));
  await cp(bundle.directory, copy, { recursive: true });
  await damage(copy);
  await seal(copy);
  return copy;
}

describe('fuzzqe parity', () => {
  it('compares golden cases, fresh queries and trees, by every kind of plan', async () => {
    const { code, out } = await parity(bundle.directory, '--json');
    const { cells, reference, passed, skipped, undecided } = JSON.parse(out) as ParityMatrix;
    expect({ code, passed, skipped }).toEqual({ code: 0, passed: true, skipped: [] });
    const [node, ...others] = cells;
    expect(others).toEqual([]);
    expect(reference).toEqual([
      expect.objectContaining({ runtime: 'reference', failures: [], passed: true }),
    ]);
    expect(reference[0]!.modes.embedding).toEqual({ compared: 42, sameRanking: 42, beside: null });
    expect(reference[0]!.embedding.absolute).toBe(0);
    // 14 structures of 3 golden and 2 fresh queries by 4 kinds of plan, 5 trees by one; drawn ones again without what is known.
    const compared = 14 * 5 * 4 + 5 + 14 * 2 + 5;
    expect(node).toMatchObject({ runtime: 'node', failures: [] });
    expect(node!.modes.embedding).toEqual({ compared, sameRanking: compared, beside: null });
    const { sets } = node!.modes;
    expect(sets).toEqual({ compared: sets.compared, sameRanking: sets.compared, beside: null });
    expect(sets.compared + undecided[0]!.count).toBeGreaterThan(14 * 2 + 5 + 28);
    expect(node!.compared).toBe(compared + sets.compared);
    expect(node!.degree.absolute).toBeGreaterThan(0);
    expect(node!.embedding.absolute).toBeGreaterThan(0);
    expect(node!.embedding.where).toMatch(/ by \w+, element \d+$/);
  });

  it('does not count the reference among the runtimes', async () => {
    const { out, notes } = await parity(bundle.directory);
    expect(out).toMatch(/^reference +fp32 +equal +0 +0 +0 +0.0 % +42\/42 +(\d+)\/\1$/m);
    expect(notes).toMatch(/^1 runtime, 1 profile, \d{3} answers: all as in float64$/m);
    expect(await parity(bundle.directory, '--runtimes', 'reference')).toMatchObject({
      code: 2,
      notes: expect.stringContaining('reference'),
    });
  });

  it('writes a page that says the same', async () => {
    const file = join(folder, 'parity.html');
    expect(await parity(bundle.directory, '--html', file)).toMatchObject({ code: 0 });
    const html = await readFile(file, 'utf8');
    expect(html).toContain('All runtimes agree');
    // The icon is within the page.
    expect(html.replace(pageIcon, '')).not.toMatch(/(?:src|href)=/);
  });

  it.each([
    [
      'in a folder that is not there',
      join('no', 'such', 'folder.html'),
      /the folder is not there \(ENOENT\)/,
    ],
    ['in place of a folder', '.', /\(EISDIR\)/],
  ])('refuses a page %s before anything is compared', async (_, file, message) => {
    const { code, notes, out } = await parity(bundle.directory, '--html', join(folder, file));
    expect({ code, out }).toEqual({ code: 9, out: '' });
    expect(notes).toMatch(message);
    expect(notes).toContain('--html: cannot be written');
  });

  it('fails for a runtime that is absent only where it is asked for', async () => {
    const path = process.env['CHROMIUM_PATH'];
    process.env['CHROMIUM_PATH'] = join(folder, 'chromium');
    try {
      const { code, notes } = await parity(bundle.directory, '--runtimes', 'chromium');
      expect({ code, notes }).toMatchObject({
        code: 8,
        notes: expect.stringMatching(/chromium is not available/),
      });
    } finally {
      if (path === undefined) delete process.env['CHROMIUM_PATH'];
      else process.env['CHROMIUM_PATH'] = path;
    }
  });
});

describe('fuzzqe parity ends with 7, and points to the place,', () => {
  it('where one weight was changed', async () => {
    const directory = await damaged((copy) =>
      rewriteRows(copy, bundle, 'relationBiases', (rowOf) => ({
        2: rowOf(2).map((value, i) => (i === 5 ? value + 0.05 : value)),
      })),
    );
    const { code, out, notes } = await parity(directory);
    expect(code).toBe(7);
    expect(notes).toMatch(
      /answers differ on node \(fp32\); first golden .* anchors \d+.*, relations [\d ]*2/,
    );
    expect(out).toContain('the weights are not those that the golden answers were made from');
    expect(out).toContain('relation 2, "r 1": ');
  });

  it('where two relations were swapped', async () => {
    const directory = await damaged(async (copy) => {
      for (const table of ['relationWeights', 'relationBiases'] as const)
        await rewriteRows(copy, bundle, table, (rowOf) => ({ 0: rowOf(4), 4: rowOf(0) }));
    });
    const { code, out } = await parity(directory);
    expect(code).toBe(7);
    expect(out).toMatch(/relation 0, /);
    expect(out).toMatch(/relation 4, /);
  });

  it('where a graph dropped its negation', async () => {
    const directory = await damaged(async (copy) =>
      placeGraph(copy, 'models/fp32/2in.onnx', await readFile(join(copy, 'models/fp32/2i.onnx'))),
    );
    const { code, out, notes } = await parity(directory);
    expect(code).toBe(7);
    expect(notes).toMatch(/answers differ on node \(fp32\); first golden 2in by structure/);
    expect(out).toContain('Golden cases and fresh queries fail: a graph, or the runtime.');
    expect(out).toContain('models/fp32/2in.onnx: 7 of 7 comparisons with it fail');
    expect(out).not.toContain('2i.onnx:');
  });

  it('where the weights are those of another run', async () => {
    const directory = await damaged((copy) => copyFile(weightsIn(other.directory), weightsIn(copy)));
    const { code, out } = await parity(directory);
    expect(code).toBe(7);
    expect(out).toContain('126 of 126 comparisons fail: what all share, such as the weights file.');
  });

  it.each<[string, (copy: string) => Promise<void>]>([
    [
      'a number of projections was changed',
      (copy) =>
        rewriteManifest(copy, ({ sets }) => ({
          sets: { ...sets, projection: { ...sets.projection, support: 0.9 } },
        })),
    ],
    [
      'a recorded fact was dropped',
      async (copy) => {
        const path = join(copy, bundlePaths.facts);
        await writeFile(path, (await readFile(path)).subarray(12));
      },
    ],
    [
      'the temperature of the evidence was changed',
      async (copy) => {
        const path = join(copy, bundlePaths.evidence);
        const text = await readFile(path, 'utf8');
        await writeFile(path, text.replace(/"temperature":[\d.]+/, '"temperature":7'));
      },
    ],
  ])('where %s, by fuzzy sets alone', async (_, damage) => {
    const { code, out, notes } = await parity(await damaged(damage), '--json');
    expect(code).toBe(7);
    expect(notes).toContain('answers differ on node (fp32)');
    // The comparison is all that stands there.
    const { cells, reference, passed } = JSON.parse(out) as ParityMatrix;
    expect(passed).toBe(false);
    for (const { modes, failures, diagnosis } of [...cells, ...reference]) {
      expect(modes.embedding.sameRanking).toBe(modes.embedding.compared);
      expect(new Set(failures.map(({ by, kind }) => `${kind} ${by}`))).toEqual(
        new Set(['golden sets', 'golden best']),
      );
      expect(diagnosis[0]).toMatch(/facts\.bin, evidence\.json and rules\.tsv/);
    }
  });

  it('where the manifest allows more than it may', async () => {
    const directory = await damaged((copy) =>
      rewriteManifest(copy, ({ profiles }) => ({
        profiles: {
          fp32: {
            ...profiles['fp32'],
            tolerances: { ...profiles['fp32']!.tolerances, embedding: { absolute: 1, relative: 0 } },
          },
        },
      })),
    );
    expect(await parity(directory)).toMatchObject({
      code: 7,
      notes: expect.stringContaining(
        'tolerances.embedding.absolute of fp32: expected at most 0.000005, got 1',
      ),
    });
  });
});

it('names an altered file before anything is compared', async () => {
  const directory = await damaged(async () => {});
  await copyFile(weightsIn(other.directory), weightsIn(directory));
  expect(await parity(directory)).toMatchObject({
    code: 6,
    notes: expect.stringContaining('models/fp32/weights.bin: altered'),
  });
});

it('says to export again where a structure has no golden case', async () => {
  const directory = await damaged(async (copy) => {
    const file = join(copy, 'models/fp32/golden.json');
    const golden = JSON.parse(await readFile(file, 'utf8')) as Golden;
    const cases = golden.cases.filter(({ structure }) => structure !== 'pin');
    await writeFile(file, JSON.stringify({ ...golden, cases }));
  });
  expect(await parity(directory)).toMatchObject({
    code: 6,
    notes: expect.stringMatching(/golden\.json.*got none of pin[\s\S]*Export the bundle again/),
  });
});
