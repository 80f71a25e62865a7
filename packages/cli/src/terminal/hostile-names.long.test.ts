import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../run-command.ts';
import { processTerminal } from './terminal.ts';

/** Clears the screen, turns the direction of text, moves to the line before, begins a colour in one byte, sets the title. */
const hostile = '\u001b[2J\u202e\u001b[1A\u009b31m\u001b]0;owned\u0007\u2066\u007f';
/** In a file of names a line feed is written out; shown as one, what follows would look like a line of this program. */
const forged = '\\nFORGED line';

/** What a terminal would act on, by code point: C0 but line feed and tab, DEL, C1, marks that turn the direction of text. */
function acting(text: string): readonly string[] {
  return [...text]
    .map((character) => character.codePointAt(0)!)
    .filter(
      (code) =>
        (code < 0x20 && code !== 0x0a && code !== 0x09) ||
        (code >= 0x7f && code <= 0x9f) ||
        [0x061c, 0x200e, 0x200f].includes(code) ||
        (code >= 0x202a && code <= 0x202e) ||
        (code >= 0x2066 && code <= 0x2069),
    )
    .map((code) => code.toString(16));
}

describe('hostile names', () => {
  let folder = '';
  const at = (name: string): string => join(folder, name);

  /** The command as it writes to the streams of a process. */
  async function fuzzqe(...args: readonly string[]): Promise<{ code: number; out: string; notes: string }> {
    const written = { out: '', notes: '' };
    const stream = (name: keyof typeof written) => ({
      write: (text: string) => {
        written[name] += text;
      },
      on: () => undefined,
    });
    const code = await runCommand(args, processTerminal(stream('out'), stream('notes')), '0.0.0');
    expect({ args, acting: acting(written.out + written.notes) }).toEqual({ args, acting: [] });
    expect(written.out + written.notes).not.toMatch(/^\s*FORGED/m);
    return { code, ...written };
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-hostile-'));
    const name = (entity: number): string => `${hostile}e${entity % 30}`;
    const facts = Array.from({ length: 30 }, (_, head) =>
      [1, 4, 9].map((step, k) => `${name(head)}\t${hostile}r${k % 2}\t${name(head + step)}\n`).join(''),
    );
    await writeFile(at('facts.tsv'), facts.join(''));
    const config = { model: { dimension: 16, bases: 4 }, steps: 4, validation: { every: 4 } };
    await writeFile(at('small.json'), JSON.stringify(config));
    const imported = ['data', 'import', at('facts.tsv'), '--name', 'mine', '--out', at('data')];
    expect(await fuzzqe(...imported)).toMatchObject({ code: 0 });
    for (const file of ['data/entities.tsv', 'data/relations.tsv']) {
      const lines = (await readFile(at(file), 'utf8')).trimEnd().split('\n');
      expect(lines[0]).toContain(hostile);
      await writeFile(at(file), lines.map((line) => `${line}${forged}${hostile}\n`).join(''));
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('are written out by every command that shows them, as text and as JSON', {
    timeout: 240_000,
  }, async () => {
    const data = ['--data', at('data')];
    const steps: readonly (readonly string[])[] = [
      ['data', 'sample', at('data'), '--train', '20', '--valid', '4', '--test', '4'],
      ['train', at('data'), '--out', at('run'), '--config', at('small.json'), '--threads', '1'],
      ['calibrate', at('run'), ...data],
      ['evaluate', at('run'), ...data],
      ['export', at('run'), ...data, '--out', at('bundle')],
      ['parity', at('bundle'), '--runtimes', 'node', '--fresh', '2', '--trees', '2'],
    ];
    for (const args of steps) {
      const { code, notes } = await fuzzqe(...args);
      if (code !== 0) throw new Error(`${args.join(' ')}: ${notes}`);
    }
    const shown = [
      ['names', at('bundle'), 'e1'],
      ['names', at('bundle'), '--relations'],
      ['query', at('bundle'), `project("${hostile}r0", "${hostile}e1")`],
      ['names', at('bundle'), 'e1', '--json'],
      ['query', at('bundle'), `project("${hostile}r0", "${hostile}e1")`, '--json'],
    ];
    for (const args of shown) {
      const { code, out } = await fuzzqe(...args);
      expect(code).toBe(0);
      expect(out).toContain('\\u001b[2J\\u202e');
      if (args.includes('--json')) expect(JSON.stringify(JSON.parse(out))).toContain('FORGED');
    }
  });

  it('are written out in errors, with hints and near names', async () => {
    const wrong: readonly (readonly string[])[] = [
      ['query', at('bundle'), `project("${hostile}", "${hostile}e1")`],
      ['query', at('bundle'), `project("${hostile}r0", "${hostile}e99")`],
      ['query', at('bundle'), `project(${hostile}`],
      ['query', at('bundle'), `project("${hostile}r0", "${hostile}e99")`, '--json'],
      ['names', `${at('bundle')}${hostile}`],
      ['data', 'import', at(hostile), '--out', at('other')],
      [hostile],
      ['query', `--${hostile}`],
    ];
    for (const args of wrong) {
      const { code, out, notes } = await fuzzqe(...args);
      expect({ args, failed: code > 0 }).toEqual({ args, failed: true });
      expect(out + notes).toContain('\\u001b');
    }
  });
});

it('the check finds what a terminal would act on', () => {
  expect(acting('a\u001bb\u009b\u202e\u007f\r')).toEqual(['1b', '9b', '202e', '7f', 'd']);
  expect(acting('line\n\ttab 日本 é 👩‍👩‍👧')).toEqual([]);
});
