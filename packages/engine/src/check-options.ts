import { modesOf } from '@fuzzqe/bundle';
import { FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import {
  type AnswerMode,
  type AnswerOptions,
  answerModes,
  type EmbeddingOptions,
  type SetsOptions,
} from './answer.ts';
import { planKinds } from './embedding/plan.ts';
import { type AnswerFilter, checkFilter } from './filter/answer-filter.ts';
import {
  aDate,
  anything,
  aSignal,
  checkForms,
  checkNames,
  flag,
  integerIn,
  isWithin,
  type OptionForm,
  oneOf,
} from './options/option-forms.ts';
import { noModel } from './ranker/no-model.ts';

/**
 * How many answers are wanted.
 *
 * @throws FuzzError `range`: it is out of [1, |E|].
 */
export function checkK(k: number | undefined, entityCount: number): number {
  const wanted = k === undefined ? Math.min(10, entityCount) : k;
  // Most are: what an error would say is made for none of them.
  if (Number.isInteger(wanted) && isWithin(wanted, 1, entityCount)) return wanted;
  const forms = { k: integerIn(1, entityCount) };
  checkForms({ k: wanted }, forms, 'range', '$', `The bundle has ${entityCount} entities.`);
  return wanted;
}

/** What can be said of an answer. */
type OptionName = keyof SetsOptions | keyof EmbeddingOptions;

const forms: Readonly<Record<OptionName, OptionForm>> = {
  mode: oneOf(...answerModes),
  // By `checkK`, which knows how many there are.
  k: anything,
  exclude: oneOf('known', 'none'),
  filter: anything,
  // By itself: as k, it has a range.
  minDegree: anything,
  suggestions: flag,
  explain: flag,
  at: aDate,
  plan: oneOf('auto', ...planKinds),
  caller: anything,
  asksAgain: flag,
  signal: aSignal,
  deadline: ['a number of milliseconds', (value) => typeof value === 'number' && !Number.isNaN(value)],
};

/** The names of all options of an answer. */
export const answerOptionNames: readonly string[] = Object.keys(forms);

const ranges: Readonly<Record<'minDegree', OptionForm>> = {
  minDegree: ['a number in [0, 1]', (value) => isWithin(value, 0, 1)],
};

const outOfPlace = (mode: AnswerMode): string => `Ask in mode ${mode}, or leave it out.`;

/** Options of the mode sets alone, and why the other has none. */
const ofSets = [
  ['minDegree', 'whose scores are no degrees'],
  ['suggestions', 'whose scores have no threshold'],
  ['explain', 'whose answers follow from no links'],
  ['at', 'whose model is that of all facts'],
] as const;

/** What answers: in which modes, and about how large a graph. */
export interface Answering extends Pick<KnowledgeGraph, 'entityCount' | 'relationCount'> {
  /** Default: all. */
  readonly modes: readonly AnswerMode[] | undefined;
}

/**
 * Refuses options that are none, or that the mode or the bundle does not have.
 *
 * @param names those that the method has. Default: all.
 * @param usual the mode where none is given.
 * @throws FuzzError `usage`: no such option or value, or an option of the other mode. `range`: a degree out of [0, 1].
 */
export function checkAnswerOptions(
  options: AnswerOptions | Omit<EmbeddingOptions, 'mode'>,
  { modes, entityCount, relationCount }: Answering,
  names: readonly string[] = answerOptionNames,
  usual: AnswerMode = 'sets',
): void {
  checkNames(options, names);
  // Options may come out of JSON.
  const given: Readonly<Record<string, unknown>> = { ...options };
  checkForms(given, forms);
  checkForms(given, ranges, 'range', '$', 'Degrees of answers are in [0, 1]; 1 is for what is recorded.');
  const { mode = usual, filter }: { mode?: AnswerMode; filter?: AnswerFilter } = options;
  const inModes = modesOf({ modes });
  if (mode === 'embedding' && !inModes.includes('embedding')) throw noModel();
  if (filter !== undefined) checkFilter(filter, { entityCount, relationCount });
  if (!inModes.includes('sets')) checkWithoutFacts(mode, options);
  for (const [name, why] of mode === 'embedding' ? ofSets : [])
    if (given[name] !== undefined && given[name] !== false)
      throw refused(name, `expected none in mode embedding, ${why}`, outOfPlace('sets'));
  if (mode === 'sets' && given['plan'] !== undefined)
    throw refused('plan', 'expected none in mode sets, which has one plan', outOfPlace('embedding'));
}

/** Refuses what needs the facts that a bundle was made without. */
function checkWithoutFacts(mode: AnswerMode, { exclude, filter }: AnswerOptions): void {
  const refuse = (name: string, message: string, hint: string): never => {
    throw refused(name, `${message} of a bundle without facts`, hint);
  };
  if (mode === 'sets') refuse('mode', 'expected embedding, the only mode', 'Ask in mode embedding.');
  if (exclude === 'known') refuse('exclude', 'expected none, as nothing is known', 'Leave it out.');
  if (filter?.query !== undefined)
    refuse('filter', 'expected ids, as queries have no recorded answers', 'Give the ids themselves.');
}

function refused(name: string, message: string, hint = 'Leave it out for the default.'): FuzzError {
  return new FuzzError('usage', `${name}: ${message}`, { path: `$.${name}`, hint });
}
