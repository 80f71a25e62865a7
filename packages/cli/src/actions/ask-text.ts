import type { AnswerLink, NamedId, SetsAnswer, SetsAnswerEntity } from '@fuzzqe/engine';

type NamedReasons = NonNullable<AnswerLink['reasons']>;
type Objection = NamedReasons['against'][number];

/** The answers and the suggestions as lines, each with the links that are predicted for it and what speaks for them. */
export function formatAsked({ answers, suggestions }: SetsAnswer): string[] {
  const lines = answers.length === 0 ? ['No answers.'] : answers.flatMap((each, i) => entityLines(each, i));
  if (suggestions.length === 0) return lines;
  return [
    ...lines,
    '',
    'Suggestions, less likely than not:',
    ...suggestions.flatMap((each, i) => entityLines(each, answers.length + i)),
  ];
}

function entityLines(entity: SetsAnswerEntity, place: number): string[] {
  const { label, degree, state, links = [] } = entity;
  const predicted = links.filter(({ recorded }) => !recorded);
  return [
    `${`${place + 1}`.padStart(3)}  ${label}  ${degree.toFixed(2)}  ${state}`,
    ...predicted.flatMap(linkLines),
  ];
}

function linkLines({ head, relation, tail, degree, reasons }: AnswerLink): string[] {
  const link = factText({ head, relation, tail });
  return [
    `     ${link} (${degree.toFixed(2)})`,
    ...(reasons === undefined ? [] : reasonTexts(reasons)).map((text) => `       ${text}`),
  ];
}

function reasonTexts({ rules, neighbours, against }: NamedReasons): string[] {
  return [
    ...rules.map(({ facts, hits, predictions }) => {
      const because = facts.map(factText).join(' and ');
      return `for: ${because}; such facts come with it in ${hits} of ${predictions} cases`;
    }),
    ...(neighbours.length === 0 ? [] : [`for: recorded of similar entities: ${namesOf(neighbours)}`]),
    ...against.map((each) => `against: ${objectionText(each)}`),
  ];
}

function objectionText({ kind, entities, share }: Objection): string {
  const percent = `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
  switch (kind) {
    case 'other tail':
      return `${namesOf(entities)} is recorded there, and ${percent} of the entities have a second one`;
    case 'other head':
      return `it is recorded of ${namesOf(entities)}, and ${percent} of the entities have a second one`;
    case 'unusual tail':
      return `${percent} of the entities of its kind are ever in this place`;
  }
}

const namesOf = (entities: readonly NamedId[]): string => entities.map(({ label }) => label).join(', ');

/** A fact in the direction in which it is recorded. */
function factText({ head, relation, tail }: Pick<AnswerLink, 'head' | 'relation' | 'tail'>): string {
  const [from, to] = relation.inverse ? [tail, head] : [head, tail];
  return `${from.label} ${relation.label} ${to.label}`;
}
