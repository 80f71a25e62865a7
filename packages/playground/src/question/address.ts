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
  const { k, exclude } = settings;
  const parameters = new URLSearchParams({ v: version, q: await writeText(question, naming) });
  if (k !== usualSettings.k) parameters.set('k', String(k));
  if (exclude !== usualSettings.exclude) parameters.set('exclude', exclude);
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
  const text = parameters.get('k') ?? String(usualSettings.k);
  const k = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isInteger(k) || k < 1 || k > 1000)
    throw refused('k', 'an integer in [1, 1000]', text, 'Leave it out for 10.');
  const exclude = parameters.get('exclude') ?? 'none';
  if (exclude !== 'none' && exclude !== 'known')
    throw refused('exclude', 'none or known', exclude, 'Leave it out for all answers.');
  return { k, exclude };
}

function refused(name: string, expected: string, got: string | null, hint: string): FuzzError {
  const shown = got === null ? 'none' : JSON.stringify(got);
  return new FuzzError('usage', `link: expected ${name} to be ${expected}, got ${shown}`, {
    path: `#${name}`,
    hint,
  });
}
