import { rm } from 'node:fs/promises';
import { type TinyBundle, tinyBundle } from '@fuzzqe/parity/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe } from '../testing/run-fuzzqe.ts';

interface Found {
  readonly answers: readonly {
    readonly label: string;
    readonly state: string;
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
  (await asked(text, '-k', '40', '--min-degree', '0')).answers
    .filter(({ state }) => state === 'recorded')
    .map(({ label }) => label);

describe('fuzzqe query', () => {
  it('shows the links through which each answer follows, an inverse as its fact is recorded', async () => {
    const [tail] = tails;
    const { out } = await query(`project("r 0", "${head}")`, '-k', '9', '--min-degree', '0', '--explain');
    expect(out).toMatch(/^ +follows from$/m);
    expect(out).toMatch(new RegExp(`^1 +${tail} +${head} +r 0 +${tail} +recorded$`, 'm'));
    const backwards = await query(`project("r 0"^-1, "${tail}")`, '-k', '40', '--explain');
    expect(backwards.out).toMatch(new RegExp(`${head} +${head} +r 0 +${tail} +recorded$`, 'm'));
    // What follows from a prediction has its degree.
    expect(out).toMatch(new RegExp(`^9 +(e \\d+) +${head} +r 0 +\\1 +(?:0\\.\\d{4}|\\de-\\d+)$`, 'm'));
    // A similar entity has the same recorded.
    const all = await query('project("r 0", "e 1")', '-k', '40', '--min-degree', '0', '--explain');
    const [, tailOf, other] =
      /^e 1 r 0 (e \d+)\n {2}\+ It is recorded for similar entities: (e \d+)\.$/m.exec(all.out) ?? [];
    expect(await recorded(`project("r 0", "${other}")`)).toContain(tailOf);
  });

  it('says that a date makes no difference if no fact has a validity, and refuses what is no date', async () => {
    const text = `project("r 0", "${head}")`;
    const dated = await query(text, '--at', '1900', '-k', '40');
    expect(dated).toMatchObject({ code: 0, notes: expect.stringContaining('Note: no-validity: ') });
    expect(dated.out).toContain(tails[0]);
    expect((await query(text, '-k', '40')).notes).not.toContain('no-validity');
    const judged = await query(text, '--at', '1900', '--is', tails[0]!);
    expect(judged).toMatchObject({ code: 0, notes: expect.stringContaining('Note: no-validity: ') });
    expect((await query(text, '--at', 'soon')).notes).toContain('expected a date as 2001');
    expect((await query(text, '--at', '1900', '--mode', 'embedding')).notes).toContain('at: expected none');
  });

  it('keeps members of another query alone', async () => {
    const other = `project("r 0", "${head}")`;
    const { answers } = await asked(
      'project("r 1", "e 2")',
      '-k',
      '40',
      '--min-degree',
      '0',
      '--filter',
      other,
    );
    expect(answers.map(({ label }) => label).sort()).toEqual([...tails].sort());
  });

  it('says of one entity whether it answers, and why, by the exit code, too', async () => {
    const text = `project("r 0", "${head}")`;
    const yes = await query(text, '--is', tails[0]!);
    expect(yes.code).toBe(0);
    expect(yes.out).toMatch(new RegExp(`^yes: ${tails[0]}, recorded, 1\\.0000$`, 'm'));
    expect(yes.out).toMatch(new RegExp(`${head} +r 0 +${tails[0]} +recorded$`, 'm'));
    const { answers } = await asked(text, '-k', '40', '--min-degree', '0', '--exclude', 'known');
    const { label } = answers[0]!;
    // A degree above 0 is enough where that is asked for, and 1 is more than a prediction has.
    expect(await query(text, '--is', label, '--min-degree', '0')).toMatchObject({ code: 0 });
    const doubtful = await query(text, '--is', label, '--min-degree', '1', '--json');
    const { verdict, degree, state, links } = JSON.parse(doubtful.out);
    expect([state, links.length]).toEqual(['predicted', 1]);
    expect([verdict, doubtful.code]).toEqual(degree >= 0.01 ? ['not known', 11] : ['no', 10]);
    expect(await query(`"${head}"`, '--is', label)).toMatchObject({ code: 10 });
  });

  it.each([
    ['a number of answers', ['--is', 'e 1', '-k', '2'], 2, 'expected none beside --is'],
    ['the embedding', ['--is', 'e 1', '--mode', 'embedding'], 2, 'expected none beside --is'],
    ['an unknown name', ['--is', 'nobody'], 3, 'nobody'],
  ])('refuses %s beside --is', async (_, more, code, said) => {
    const refused = await query('project("r 0", "e 1")', ...more);
    expect(refused).toMatchObject({ code, notes: expect.stringContaining(said) });
  });

  it('calls the numbers of mode embedding scores, and says that they are no probabilities', async () => {
    const text = `project("r 0", "${head}")`;
    const { out } = await query(text, '--mode', 'embedding', '-k', '2');
    expect(out).toMatch(/^ +score\n {2}1 {2}e \d+ +\d\.\d{4}/);
    expect(out).toContain('It is no probability.');
    expect((await query(text, '-k', '2')).out).not.toContain('no probability');
  });

  it('explains no answers by the embedding', async () => {
    const refused = await query('project("r 0", "e 1")', '--mode', 'embedding', '--explain');
    expect(refused).toMatchObject({ code: 2, notes: expect.stringContaining('explain') });
  });
});
