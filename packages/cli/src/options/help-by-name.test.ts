import { Command } from 'commander';
import { expect, it } from 'vitest';
import { runFuzzqe } from '../testing/run-fuzzqe.ts';
import { helpByName } from './help-by-name.ts';

it.each([
  [['help', 'querry'], "error: unknown command 'querry'\n(Did you mean query?)"],
  [['querry', '--help'], "error: unknown command 'querry'\n(Did you mean query?)"],
  [['help', 'nosuch'], "error: unknown command 'nosuch'"],
  [['help', 'data', 'imprt'], "error: unknown command 'imprt'\n(Did you mean import?)"],
  [['data', 'help', 'imprt'], "error: unknown command 'imprt'\n(Did you mean import?)"],
  [['data', 'imprt', '-h'], "error: unknown command 'imprt'\n(Did you mean import?)"],
])('refuses %j, which names no command', async (args, message) => {
  expect(await runFuzzqe(...args)).toMatchObject({
    ...{ code: 2, out: '', notes: expect.stringContaining(message) },
  });
});

it('says so as JSON', async () => {
  const { code, out } = await runFuzzqe('help', 'querry', '--json');
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({
    error: { code: 'usage', message: "unknown command 'querry'\n(Did you mean query?)" },
  });
});

it.each([
  [['help'], ['--help']],
  [
    ['help', 'query'],
    ['query', '--help'],
  ],
  [
    ['help', 'data'],
    ['data', '--help'],
  ],
  [
    ['help', 'data', 'import'],
    ['data', 'import', '--help'],
  ],
  [
    ['data', 'help', 'import'],
    ['data', 'import', '--help'],
  ],
])('shows for %j what %j shows', async (args, same) => {
  const shown = await runFuzzqe(...args);
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('Usage: fuzzqe'), notes: '' });
  expect(shown).toEqual(await runFuzzqe(...same));
});

it('leaves the word to a command that takes it', () => {
  const program = new Command().addCommand(new Command('query').argument('<name>').option('-k <n>'));
  for (const args of [['query', 'help'], ['query', 'help', '--help'], ['query', '-k', 'help'], ['--help']])
    expect(helpByName(program, args)).toEqual(args);
});
