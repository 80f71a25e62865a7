import { finish, keptBy, type Steps, type Vocabulary } from '@fuzzqe/core';
import { type Answer, inTurns, type OperandDegree } from '@fuzzqe/engine';
import type { AnswerWriter } from '../part/api-part.ts';
import { createNameTexts, type NameTexts } from './name-texts.ts';
import { writeJson } from './write-json.ts';

/** Entities, each with its operands, that are written in a piece of work. */
const writtenOfStep = 512;

const textsOf = keptBy((_: Vocabulary) => createNameTexts());

/**
 * An answer as JSON, letter by letter that of `JSON.stringify`: at once where it is short, otherwise in turns of the event loop.
 *
 * Names of entities are written once and kept, up to 8 MiB for each vocabulary.
 *
 * @throws FuzzError `interrupted`, `deadline`: the limits.
 */
export const writeAnswer: AnswerWriter = async (answer, vocabulary, limits) => {
  if (answer.mode === 'sets' && answer.parts !== undefined) return writeJson(answer, limits);
  const [first] = answer.answers;
  const operands = first !== undefined && 'operands' in first ? (first.operands?.length ?? 0) : 0;
  const count = answer.answers.length + ('suggestions' in answer ? answer.suggestions.length : 0);
  const steps = writing(answer, textsOf(vocabulary), Math.ceil(writtenOfStep / (1 + operands)));
  return count * (1 + operands) >= writtenOfStep ? inTurns(steps, limits) : finish(steps);
};

function* writing(answer: Answer, textOf: NameTexts, ofStep: number): Steps<string> {
  const { warnings, plan } = answer;
  const end = `"warnings":${JSON.stringify(warnings)},"plan":${JSON.stringify(plan)}`;
  if (answer.mode === 'embedding') {
    const entities = yield* writingList(answer.answers, ofStep, (entity) => {
      const { known, score } = entity;
      return `${textOf(entity)},"known":${known},"score":${numberText(score)}}`;
    });
    return `{"mode":"embedding","answers":${entities},${end}}`;
  }
  const write = (entity: (typeof answer.answers)[number]): string => {
    const { state, degree, operands } = entity;
    const more = operands === undefined ? '' : `,"operands":[${operands.map(operandText).join()}]`;
    return `${textOf(entity)},"state":"${state}","degree":${numberText(degree)}${more}}`;
  };
  const answers = yield* writingList(answer.answers, ofStep, write);
  const suggestions = yield* writingList(answer.suggestions, ofStep, write);
  const at = answer.at === undefined ? '' : `,"at":${JSON.stringify(answer.at)}`;
  return `{"mode":"sets","answers":${answers},"suggestions":${suggestions},${end}${at}}`;
}

function* writingList<T>(items: readonly T[], ofStep: number, write: (item: T) => string): Steps<string> {
  let text = '[';
  for (let place = 0; place < items.length; place += 1) {
    if ((place + 1) % ofStep === 0) yield;
    text += place === 0 ? write(items[place]!) : `,${write(items[place]!)}`;
  }
  return `${text}]`;
}

const operandText = ({ degree, known }: OperandDegree): string =>
  `{"degree":${numberText(degree)},"known":${known}}`;

/** As `JSON.stringify` writes it, which has no number that is not finite. */
const numberText = (value: number): string => (Number.isFinite(value) ? `${value}` : 'null');
