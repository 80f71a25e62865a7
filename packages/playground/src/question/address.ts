import { FuzzError } from '@fuzzqe/core';
import type { Naming } from './naming.ts';
import type { Question } from './question.ts';
import { type AskSettings, usualSettings } from './settings.ts';
import { readText, writeText } from './text.ts';

/** What a link to the page shares. */
export interface SharedQuestion {
  readonly question: Question;
  readonly settings: AskSettings;
}

/** The version of what follows the `#` of a link. */
const version = '1';

/** The longest question of a link, in characters; servers and mail programs cut longer addresses. */
const longest = 16_384;

/**
 * What follows the `#` of a link to a question: `v=1&q=project(borders,+France)&k=5`, names as the text notation writes them.
 *
 * Settings that are usual are left out.
 */
export async function writeAddress({ question, settings }: SharedQuestion, naming: Naming): Promise<string> {
  const { mode, k, exclude, minDegree } = settings;
  const parameters = new URLSearchParams({ v: version, q: await writeText(question, naming) });
  if (mode !== usualSettings.mode) parameters.set('mode', mode);
  if (k !== usualSettings.k) parameters.set('k', String(k));
  if (exclude !== usualSettings.exclude) parameters.set('exclude', exclude);
  if (minDegree !== undefined) parameters.set('minDegree', String(minDegree));
  return parameters.toString();
}

/**
 * Reads what follows the `#` of a link; nothing where no question is shared.
 *
 * @throws FuzzError `usage`: a link of another version, or with a setting that is none. `query`, `vocabulary`: the question, as text.
 */
export async function readAddress(hash: string, naming: Naming): Promise<SharedQuestion | undefined> {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  const text = parameters.get('q');
  if (text === null) return undefined;
  const found = parameters.get('v');
  if (found !== version) {
    throw refused(
      'v',
      `version ${version}`,
      found,
      'The link was made by another version of the playground.',
    );
  }
  if (text.length > longest) {
    throw refused('q', `at most ${longest} characters`, `${text.length}`, 'Ask for less.');
  }
  const settings = readSettings(parameters);
  return { question: await readText(text, naming), settings };
}

function readSettings(parameters: URLSearchParams): AskSettings {
  const choice = <T extends string>(name: string, choices: readonly [T, ...T[]]): T => {
    const value = parameters.get(name) ?? choices[0];
    const found = choices.find((each) => each === value);
    if (found !== undefined) return found;
    throw refused(name, choices.join(' or '), value, `Leave ${name} out for ${choices[0]}.`);
  };
  const number = (
    name: string,
    [least, most]: readonly [number, number],
    isWhole: boolean,
  ): number | undefined => {
    const text = parameters.get(name);
    if (text === null) return undefined;
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
    throw refused(
      name,
      `${isWhole ? 'an integer' : 'a number'} in [${least}, ${most}]`,
      text,
      'Leave it out.',
    );
  };
  const mode = choice('mode', ['sets', 'embedding']);
  const minDegree = number('minDegree', [0, 1], false);
  if (mode === 'embedding' && minDegree !== undefined) {
    throw refused('minDegree', 'none beside mode=embedding', String(minDegree), 'Scores are no degrees.');
  }
  return {
    mode,
    k: number('k', [1, 1000], true) ?? usualSettings.k,
    exclude: choice('exclude', ['none', 'known']),
    ...(minDegree === undefined ? {} : { minDegree }),
  };
}

function refused(name: string, expected: string, got: string | null, hint: string): FuzzError {
  const shown = got === null ? 'none' : JSON.stringify(got);
  return new FuzzError('usage', `link: expected ${name} to be ${expected}, got ${shown}`, {
    path: `#${name}`,
    hint,
  });
}
