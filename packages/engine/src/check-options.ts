import { FuzzError } from '@fuzzqe/core';
import { type Manifest, modesOf } from '@fuzzqe/core/bundle';
import { type AnswerMode, type AnswerOptions, answerModes } from './answer.ts';
import { checkFilter } from './filter/answer-filter.ts';

/** How many answers are wanted. Throws: 'range' where it is out of [1, |E|]. */
export function checkK(k: number | undefined, entityCount: number): number {
  const wanted = k ?? Math.min(10, entityCount);
  if (Number.isInteger(wanted) && wanted >= 1 && wanted <= entityCount) return wanted;
  throw new FuzzError('range', `k: expected an integer in [1, ${entityCount}], got ${wanted}`, {
    path: '$.k',
    hint: `The bundle has ${entityCount} entities.`,
  });
}

/**
 * Refuses options that are none, or that the mode or the bundle does not have.
 *
 * @throws FuzzError `usage`: no such mode, an option of the other mode, or probabilities that the bundle does not give.
 * `range`: a degree out of [0, 1].
 */
export function checkAnswerOptions(
  options: AnswerOptions,
  manifest: Pick<Manifest, 'sets' | 'model' | 'modes'>,
): void {
  const { sets, model } = manifest;
  const { mode = 'sets', filter } = options;
  // Options may come out of JSON.
  const {
    minDegree,
    probability,
    plan,
    explain,
  }: {
    readonly minDegree?: unknown;
    readonly probability?: unknown;
    readonly plan?: unknown;
    readonly explain?: unknown;
  } = { ...options };
  if (!answerModes.includes(mode))
    throw new FuzzError('usage', `mode: expected ${answerModes.join(' or ')}, got ${JSON.stringify(mode)}`, {
      path: '$.mode',
      hint: 'Leave it out for answers by fuzzy sets.',
    });
  if (!modesOf(manifest).includes('sets')) checkWithoutFacts(mode, options);
  if (mode === 'embedding' && minDegree !== undefined)
    throw new FuzzError('usage', 'minDegree: expected none in mode embedding, whose scores are no degrees', {
      path: '$.minDegree',
      hint: 'Ask in mode sets, or leave it out.',
    });
  if (mode === 'embedding' && probability === true)
    throw new FuzzError('usage', 'probability: expected none in mode embedding, which predicts no links', {
      path: '$.probability',
      hint: 'Ask in mode sets, or leave it out.',
    });
  if (mode === 'embedding' && explain === true)
    throw new FuzzError(
      'usage',
      'explain: expected none in mode embedding, whose answers follow from no links',
      {
        path: '$.explain',
        hint: 'Ask in mode sets, or leave it out.',
      },
    );
  if (filter !== undefined) checkFilter(filter, model.entities);
  if (probability === true && sets.probability === null)
    throw new FuzzError('usage', 'probability: the bundle does not say how likely links are', {
      path: '$.probability',
      hint: 'Hold facts out for validation, then `fuzzqe calibrate` the run and export it again; or leave it out.',
    });
  if (mode === 'sets' && plan !== undefined)
    throw new FuzzError('usage', 'plan: expected none in mode sets, which has one plan', {
      path: '$.plan',
      hint: 'Ask in mode embedding, or leave it out.',
    });
  if (minDegree === undefined) return;
  if (typeof minDegree === 'number' && minDegree >= 0 && minDegree <= 1) return;
  throw new FuzzError('range', `minDegree: expected a number in [0, 1], got ${JSON.stringify(minDegree)}`, {
    path: '$.minDegree',
    hint: 'Degrees of answers are in [0, 1]; 1 is for what is recorded.',
  });
}

/** Refuses what needs the facts that a bundle was made without. */
function checkWithoutFacts(mode: AnswerMode, { exclude, filter }: AnswerOptions): void {
  const refuse = (path: string, message: string, hint: string): never => {
    throw new FuzzError('usage', `${path}: ${message} of a bundle without facts`, {
      path: `$.${path}`,
      hint,
    });
  };
  if (mode === 'sets') refuse('mode', 'expected embedding, the only mode', 'Ask in mode embedding.');
  if (exclude === 'known') refuse('exclude', 'expected none, as nothing is known', 'Leave it out.');
  if (filter !== undefined && 'query' in filter)
    refuse('filter', 'expected ids, as queries have no recorded answers', 'Give the ids themselves.');
}
