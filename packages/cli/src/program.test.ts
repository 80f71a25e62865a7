import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createCommand, fullName, leafCommands } from './program.ts';
import { runCommand } from './run-command.ts';
import { commandCodes } from './terminal/command-codes.ts';
import { runFuzzqe } from './testing/run-fuzzqe.ts';

const source = dirname(fileURLToPath(import.meta.url));

/** The packages that a file imports before anything is asked of it, by itself and through the files beside it. */
function importedAtOnce(file: string, seen: Set<string> = new Set()): Set<string> {
  const packages = new Set<string>();
  if (seen.has(file)) return packages;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, type, from] of text.matchAll(/^(?:import|export) (type )?[^;]*?from '([^']+)';/gms)) {
    if (type !== undefined) continue;
    const [, own, part] = /^(?:@fuzzqe\/)?(create-fuzzqe|\w+)\/(\w+)$/.exec(from!) ?? [];
    // A part of a package of ours is followed: it may import nothing either.
    const inside =
      own === undefined
        ? undefined
        : [`${part}/index.ts`, `${part}.ts`]
            .map((file) => join(source, '../..', own, 'src', file))
            .find((file) => existsSync(file));
    if (inside !== undefined) for (const name of importedAtOnce(inside, seen)) packages.add(name);
    else if (!from!.startsWith('.')) packages.add(from!);
    else for (const name of importedAtOnce(join(dirname(file), from!), seen)) packages.add(name);
  }
  return packages;
}

it('the command line is described without loading what does the work', () => {
  // `runCommand` loads all three; what is imported with them counts, too.
  const described = ['main.ts', 'options/help-by-name.ts', 'program.ts'];
  const found = new Set(described.flatMap((file) => [...importedAtOnce(join(source, file))]));
  expect([...found].filter((name) => !name.startsWith('node:'))).toEqual(['commander']);
  // A program that imports `open` loads no command line.
  expect([...importedAtOnce(join(source, 'index.ts'))]).toEqual([]);
  // Negative control: the work itself needs more.
  expect([...importedAtOnce(join(source, 'actions/train.ts'))]).toContain('@fuzzqe/train');
});

it('help keeps within 80 columns', async () => {
  const { out } = await runFuzzqe('--help');
  const [listed = ''] = out.split('\nExample:');
  const commands = [...listed.matchAll(/^ {2}([a-z-]+) .*$/gm)].map(([, name]) => [name!]);
  const data = ['countries', 'import', 'download', 'sample', 'add-queries', 'show'].map((name) => [
    'data',
    name,
  ]);
  const texts = [out];
  for (const command of [...commands, ...data]) {
    const { code, out: help } = await runFuzzqe(...command, '--help');
    expect({ command, code }).toEqual({ command, code: 0 });
    texts.push(help);
  }
  expect(texts.length).toBeGreaterThan(18);
  expect(texts.flatMap((text) => text.split('\n')).filter((line) => line.length > 80)).toEqual([]);
});

it('each command shows an example of its own and its exit codes', async () => {
  const silent = { out() {}, note() {}, status() {}, live: false, columns: 80 };
  const names = leafCommands(createCommand(silent, '0.0.0-test')).map(fullName);
  expect(names.toSorted()).toEqual(Object.keys(commandCodes).toSorted());
  for (const name of names) {
    const { out } = await runFuzzqe(...name.split(' '), '--help');
    expect({ name, example: new RegExp(`Examples?:[^]*\\n  fuzzqe ${name} `).test(out) }).toEqual({
      name,
      example: true,
    });
    expect({ name, codes: /Exit codes:\n {4}0 {2}done\n/.test(out) }).toEqual({ name, codes: true });
  }
  const { out } = await runFuzzqe('query', '--help');
  expect(out).toContain('10  query --is: no');
  // Negative control: a key needs no bundle.
  expect((await runFuzzqe('key', '--help')).out).not.toContain('bundle\n');
});

it('lists the commands and the exit codes', async () => {
  const { code, out } = await runFuzzqe('--help');
  expect(code).toBe(0);
  expect(out).toMatch(/data[\s\S]*train[\s\S]*export[\s\S]*query[\s\S]*serve[\s\S]*evaluate[\s\S]*parity/);
  for (const line of ['130  stopped with Ctrl-C', '143  stopped by SIGTERM']) expect(out).toContain(line);
});

it('the list of commands has four groups', async () => {
  const { out } = await runFuzzqe('--help');
  expect([...out.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, group]) => group)).toEqual([
    'Options',
    'Make a model',
    'Ask',
    'Serve',
    'Inspect',
    'Example',
    'Exit codes',
  ]);
});

it('tables are Markdown or JSON, and not one of them without a word', async () => {
  const { code, out } = await runFuzzqe('evaluate', 'run', '--data', 'data', '--json', '--markdown');
  expect(code).toBe(2);
  expect(out).toContain("option '--markdown' cannot be used with option '--json'");
});

it('an error of the disk that nothing nearer took up is no defect of the program', async () => {
  const notes: string[] = [];
  const failing = (error: Error): Promise<number> =>
    runCommand(
      ['--version'],
      {
        out() {
          throw error;
        },
        note: (line) => notes.push(line),
        status: () => {},
        live: false,
        columns: 80,
      },
      '0.0.0-test',
    );
  const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', syscall: 'write' });
  expect(await failing(full)).toBe(9);
  expect(notes.at(-1)).toContain('Check the disk.');
  for (const code of ['EMFILE', 'ENFILE']) {
    expect(await failing(Object.assign(new Error(code), { code, syscall: 'open' }))).toBe(9);
    expect(notes.at(-1)).toMatch(/files open.*ulimit -n/);
  }
  const gone = new Error('ENOENT: no such file or directory, uv_cwd');
  expect(await failing(Object.assign(gone, { code: 'ENOENT', syscall: 'uv_cwd' }))).toBe(9);
  expect(notes.at(-1)).toContain('The current folder was removed');
  expect(await failing(new Error('something else'))).toBe(1);
});
