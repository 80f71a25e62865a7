import { rm } from 'node:fs/promises';
import { type TinyBundle, tinyBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe } from '../testing/run-fuzzqe.ts';

interface Found {
  readonly answers: readonly {
    readonly label: string;
    readonly known: boolean;
    readonly links?: unknown[];
  }[];
}

let bundle: TinyBundle;
/** An entity with recorded tails under r 0, and these. */
let head: string;
let tails: readonly string[] = [];
beforeAll(async () => {
  bundle = await tinyBundle();
  for (let id = 0; tails.length === 0; id += 1) {
    head = `e ${id}`;
    tails = await recorded(`project("r 0", "${head}")`);
  }
});
afterAll(() => rm(bundle.directory, { recursive: true, force: true }));

const query = (...args: string[]) => runFuzzqe('query', bundle.directory, ...args);
const asked = async (...args: string[]): Promise<Found> => JSON.parse((await query(...args, '--json')).out);
const recorded = async (text: string): Promise<string[]> =>
  (await asked(text, '-k', '40')).answers.filter(({ known }) => known).map(({ label }) => label);

describe('fuzzqe query', () => {
  it('shows the links through which each answer follows, an inverse as its fact is recorded', async () => {
    const [tail] = tails;
    const { out } = await query(`project("r 0", "${head}")`, '-k', '9', '--explain');
    expect(out).toMatch(/^ +follows from$/m);
    expect(out).toMatch(new RegExp(`^1 +${tail} +${head} +r 0 +${tail} +recorded$`, 'm'));
    const backwards = await query(`project("r 0"^-1, "${tail}")`, '-k', '40', '--explain');
    expect(backwards.out).toMatch(new RegExp(`${head} +${head} +r 0 +${tail} +recorded$`, 'm'));
    // What follows from a prediction has its degree.
    const predicted = new RegExp(
      `^9 +(e \\d+) +${head} +r 0 +\\1 +(?:0\\.\\d{4}|\\de-\\d+)(?: +as for e \\d+)?$`,
      'm',
    );
    expect(out).toMatch(predicted);
    // A similar entity has the same recorded.
    const all = await query(`project("r 0", "${head}")`, '-k', '40', '--explain');
    const [, tailOf, other] = /(e \d+) +[\d.e-]+ +as for (e \d+)$/m.exec(all.out) ?? [];
    expect(await recorded(`project("r 0", "${other}")`)).toContain(tailOf);
  });

  it('keeps members of another query alone', async () => {
    const other = `project("r 0", "${head}")`;
    const { answers } = await asked('project("r 1", "e 2")', '-k', '40', '--filter', other);
    expect(answers.map(({ label }) => label).sort()).toEqual([...tails].sort());
  });

  it('explains no answers by the embedding', async () => {
    const refused = await query('project("r 0", "e 1")', '--mode', 'embedding', '--explain');
    expect(refused).toMatchObject({ code: 2, notes: expect.stringContaining('explain') });
  });
});
