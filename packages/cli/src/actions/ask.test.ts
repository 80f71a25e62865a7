import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';

let folder = '';
const at = (name: string): string => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-ask-'));
  const couples = Array.from({ length: 60 }, (_, i) => {
    const [one, other] = [`a${i}`, `b${i}`];
    const there = `${one}\tspouse\t${other}\n`;
    return i === 0 ? there : `${there}${other}\tspouse\t${one}\n`;
  });
  await writeFile(at('couples.tsv'), couples.join(''));
  await writeFile(at('one.tsv'), 'x\tr\ty\n');
  await writeFile(at('odd.csv'), 'x,r,x\nx,r,y\ny,r,x\ny,not r,x\nx,r,y\n');
  await writeFile(at('broken.tsv'), 'x\tr\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('fuzzqe ask', () => {
  it('answers with what is recorded, and suggests with rules as sentences', async () => {
    const { code, out, notes } = await fuzzqe(
      'ask',
      at('couples.tsv'),
      'project(spouse, b0)',
      '--seconds',
      '1',
    );
    expect(code).toBe(0);
    expect(notes).toContain('no model is there yet: answers by rules, schema and similar entities');
    expect(notes).toMatch(/^Next: (?:npx )?fuzzqe run \S+couples\.tsv$/m);
    expect(out).toMatch(/^ +1 {2}a0 +0\.\d{4} {2}predicted$/m);
    expect(out).toMatch(/^ {2}\+ Because a0 spouse b0: recorded in \d+ of \d+ such cases\.$/m);
    const known = await fuzzqe('ask', at('couples.tsv'), 'project(spouse, a0)', '--seconds', '1');
    expect(known.out).toMatch(/^ +1 {2}b0 +1\.0000 {2}recorded$/m);
    // Nothing is left behind.
    expect((await readdir(folder)).sort()).toEqual(['broken.tsv', 'couples.tsv', 'odd.csv', 'one.tsv']);
  });

  it('prints JSON that says that no model is there, as many answers as are wanted', async () => {
    const { code, out } = await fuzzqe(
      ...['ask', at('couples.tsv'), 'project(spouse, b0)', '-k', '2', '--seconds', '1', '--json'],
    );
    expect(code).toBe(0);
    const { query, mode, answers, suggestions, warnings } = JSON.parse(out);
    expect([query, mode]).toEqual(['project(spouse, b0)', 'sets']);
    expect(answers.length + suggestions.length).toBeLessThanOrEqual(2);
    expect([...answers, ...suggestions][0]).toMatchObject({ key: 'a0', state: 'predicted' });
    expect(warnings[0]).toMatch(/^no-model: /);
  });

  it('answers patterns with a table, and questions of yes or no', async () => {
    const pairs = await fuzzqe(
      ...['ask', at('couples.tsv'), '?x, ?y : spouse(?x, ?y), ?x = a1', '--seconds', '1'],
    );
    expect(pairs.code).toBe(0);
    expect(pairs.out).toMatch(/^ +\?x +\?y +degree$/m);
    expect(pairs.out).toMatch(/^ *1 {2}a1 {2}b1 {2}1\.0000 {2}recorded$/m);
    const yes = await fuzzqe('ask', at('couples.tsv'), 'spouse(a1, b1)', '--seconds', '1');
    expect(yes.out).toMatch(/^yes: recorded, 1\.0000$/m);
    const no = await fuzzqe('ask', at('couples.tsv'), 'spouse(a1, a2)', '--seconds', '1');
    expect(no.out).toMatch(/^(no|not known): /m);
    const wrong = await fuzzqe(
      'ask',
      at('couples.tsv'),
      '?x : spouse(?x, ?y), not spouse(?z, ?x), not spouse(?z, ?y)',
    );
    expect(wrong.code).toBe(3);
  });

  it('reads a question in words, shows its pattern, and says what may be asked instead', async () => {
    const asked = await fuzzqe('ask', at('couples.tsv'), 'who is the spouse of a0?', '--seconds', '1');
    expect(asked.notes).toContain('Pattern: ?x : spouse(a0, ?x)');
    expect(asked.out).toMatch(/^ *1 +b0 +1\.0000 +recorded$/m);
    const many = await fuzzqe('ask', at('couples.tsv'), 'how many spouses does a0 have', '--seconds', '1');
    expect(many.out).toContain('Recorded answers: 1');
    const refused = await fuzzqe('ask', at('couples.tsv'), 'who is the best friend of a0', '--seconds', '1');
    expect([refused.code, refused.notes]).toEqual([3, expect.stringContaining('spouse of a0')]);
  });

  it('names the next command with the flags that the triples were read by', async () => {
    const { notes } = await fuzzqe(
      ...['ask', at('odd.csv'), 'project("saw", x)', '--seconds', '1', '--header', 'no'],
      ...['--columns', 'head=1,relation="saw",tail=3', '--no-attributes', '--skip-bad'],
    );
    expect(notes).toMatch(
      /fuzzqe run \S+odd\.csv --header no --columns 'head=1,relation="saw",tail=3' --skip-bad --no-attributes$/m,
    );
    const peeked = await fuzzqe('data', 'peek', at('couples.tsv'), '--comment', '#');
    expect(peeked.notes).toMatch(/fuzzqe data import \S+couples\.tsv --comment '?#'? --out data\/mine$/m);
  });

  it('answers from a graph of one fact, and from an odd one', async () => {
    const one = await fuzzqe('ask', at('one.tsv'), 'project(r, x)', '--seconds', '1');
    expect([one.code, one.out.split('\n')[0]]).toEqual([0, '  1  y  1.0000  recorded']);
    expect(one.notes).toContain('too few facts to fit');
    const back = await fuzzqe('ask', at('one.tsv'), 'project(r, y)', '--seconds', '1');
    expect([back.code, back.out.split('\n')[0]]).toEqual([0, 'No answers.']);
    const odd = await fuzzqe('ask', at('odd.csv'), 'project(r, x)', '--seconds', '1', '--header', 'no');
    expect(odd.code).toBe(0);
    expect(odd.out).toMatch(/x {2}1\.0000 {2}recorded/);
  });

  it('ends with 3 for a wrong query, 4 for a wrong file and 2 for a wrong option', async () => {
    const codeOf = async (...args: readonly string[]) => (await fuzzqe('ask', ...args)).code;
    expect(await codeOf(at('one.tsv'), 'project(r, nobody)')).toBe(3);
    expect(await codeOf(at('one.tsv'), 'project(r')).toBe(3);
    expect(await codeOf(at('one.tsv'), 'project(r, x)', '-k', '9')).toBe(3);
    expect(await codeOf(at('broken.tsv'), 'project(r, x)')).toBe(4);
    expect(await codeOf(at('none.tsv'), 'project(r, x)')).not.toBe(0);
    expect(await codeOf(at('one.tsv'), 'project(r, x)', '--seconds', '0')).toBe(2);
  });
});
