import { flagOf, settingNames, variableOf } from '@fuzzqe/serve/settings';
import { expect, it } from 'vitest';
import { runFuzzqe } from '../testing/run-fuzzqe.ts';

const help = async (): Promise<string> => (await runFuzzqe('serve', '--help')).out;

it('lists the flag of every setting once, and no other', async () => {
  const listed = [...(await help()).matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag);
  expect(listed.sort()).toEqual([...settingNames.map(flagOf), '--config', '--help'].sort());
});

it('tells by an example what every setting is called as a variable and in the file, and which goes first', async () => {
  const text = (await help()).replaceAll(/\s+/g, ' ');
  const stated =
    /Each setting is also an environment variable, as (\S+) is (\w+), and a key of a JSON file, as (\w+) is;/;
  const [, flag = '', variable = '', key = ''] = stated.exec(text) ?? [];
  const wordsOf = (name: string): string[] => name.split(/[-_]|(?=[A-Z])/).map((word) => word.toLowerCase());
  const prefix = variable.slice(0, -key.length - wordsOf(key).length + 1);
  expect([flag, variable, prefix]).toEqual([
    flagOf('maxInFlight'),
    variableOf('maxInFlight'),
    'FUZZQE_SERVE_',
  ]);
  // Whoever knows the example knows the names of all others.
  for (const name of settingNames) {
    const words = wordsOf(name);
    expect(flagOf(name)).toBe(`--${words.join('-')}`);
    expect(variableOf(name)).toBe(`${prefix}${words.join('_').toUpperCase()}`);
  }
  expect(text).toContain(`the file of --config or ${variableOf('config')}.`);
  expect(text).toContain('A flag overrides a variable; a variable overrides the file.');
});
