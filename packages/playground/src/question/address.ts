import { FuzzError } from '@fuzzqe/core';
import type { Naming } from './naming.ts';
import { emptyQuestion, type Question } from './question.ts';
import { type AskSettings, usualSettings } from './settings.ts';
import { readText, writeText } from './text.ts';

/** What a link to the page shares. */
export interface SharedQuestion {
  readonly question: Question;
  /** The text of a pattern of several variables, which is asked instead of the question. */
  readonly pattern?: string;
  readonly settings: AskSettings;
  /** Which model is asked; nothing for the first of the server. */
  readonly model?: string;
}

/** The version of what follows the `#` of a link. */
const version = '1';

/** The longest question of a link, in characters; servers and mail programs cut longer addresses. */
const longest = 16_384;

/**
 * What follows the `#` of a link to a question: `v=1&q=project(borders,+France)&k=5`, names as the text notation writes them.
 *
 * A pattern stands in `p`, as it is typed. Settings that are usual are left out; nothing is left of an empty question to the first model.
 */
export async function writeAddress(
  { question, pattern, settings, model }: SharedQuestion,
  naming: Naming,
): Promise<string> {
  const { k, exclude, minDegree } = settings;
  const isEmpty = pattern === undefined && question.kind === 'hole';
  if (isEmpty && model === undefined) return '';
  const parameters = new URLSearchParams({ v: version });
  if (model !== undefined) parameters.set('model', model);
  if (isEmpty) return parameters.toString();
  if (pattern === undefined) parameters.set('q', await writeText(question, naming));
  else parameters.set('p', pattern);
  if (k !== usualSettings.k) parameters.set('k', String(k));
  if (exclude !== usualSettings.exclude) parameters.set('exclude', exclude);
  if (minDegree !== undefined) parameters.set('min', String(minDegree));
  return parameters.toString();
}

/** Which model a link is about; nothing where it is the first of the server. */
export function modelOfAddress(hash: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#/, '')).get('model') ?? undefined;
}

/**
 * Reads what follows the `#` of a link; nothing where no question is shared.
 *
 * @throws FuzzError `usage`: a link of another version, or with an unknown setting. `query`, `vocabulary`: the question, as text. A
 * pattern is read by what shows it.
 */
export async function readAddress(
  hash: string,
  naming: Naming,
): Promise<Omit<SharedQuestion, 'model'> | undefined> {
  const parameters = new URLSearchParams(hash.replace(/^#/, ''));
  const pattern = parameters.get('p') ?? undefined;
  const text = pattern ?? parameters.get('q');
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
    throw refused(
      pattern === undefined ? 'q' : 'p',
      `at most ${longest} characters`,
      `${text.length}`,
      'Ask for less.',
    );
  }
  const settings = readSettings(parameters);
  if (pattern !== undefined) return { question: emptyQuestion, pattern, settings };
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
  const least = parameters.get('min');
  if (least === null) return { k, exclude };
  const minDegree = least.trim() === '' ? Number.NaN : Number(least);
  if (!(minDegree >= 0 && minDegree <= 1))
    throw refused('min', 'a number in [0, 1]', least, 'Leave it out for 0.5.');
  return { k, exclude, minDegree };
}

function refused(name: string, expected: string, got: string | null, hint: string): FuzzError {
  const shown = got === null ? 'none' : JSON.stringify(got);
  return new FuzzError('usage', `link: expected ${name} to be ${expected}, got ${shown}`, {
    path: `#${name}`,
    hint,
  });
}
