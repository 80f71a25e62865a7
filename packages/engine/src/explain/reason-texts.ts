import { provenanceText } from './fact-provenance.ts';
import type { AnswerLink, NamedObjection, NamedRule } from './name-explanation.ts';

/** What speaks for a predicted link and against it, a sentence each. */
export interface ReasonTexts {
  readonly for: readonly string[];
  readonly against: readonly string[];
}

/** The reasons of a predicted link as sentences; of a recorded link where it comes from, if that is known. */
export function reasonTexts({
  head,
  relation,
  tail,
  reasons,
  provenance,
}: Omit<AnswerLink, 'recorded' | 'degree'>): ReasonTexts {
  const origin = provenance === undefined ? [] : [`Recorded: ${provenanceText(provenance)}.`];
  if (reasons === undefined) return { for: origin, against: [] };
  const { entailed, rules, neighbours, against } = reasons;
  const [subject, object] = relation.inverse ? [tail, head] : [head, tail];
  const objection = ({ kind, entities, share }: NamedObjection): string => {
    const named = entities.map(({ label }) => label).join(', ');
    const percent = `${(100 * share).toFixed(share < 0.01 ? 1 : 0)} %`;
    // An inverse is read the other way round: a second tail of it is a second head of the fact.
    const isOfSubject = (kind === 'other tail') !== relation.inverse;
    if (kind === 'unusual tail')
      return `Entities like ${tail.label} rarely have this place in "${relation.label}" (${percent}).`;
    return isOfSubject
      ? `Recorded is ${subject.label} ${relation.label} ${named}; a second one is rare (${percent}).`
      : `Recorded is ${named} ${relation.label} ${object.label}; a second one is rare (${percent}).`;
  };
  return {
    for: [
      ...(entailed ? ['A declared axiom entails it.'] : []),
      ...rules.map(ruleText),
      ...(neighbours.length === 0
        ? []
        : [`It is recorded for similar entities: ${neighbours.map(({ label }) => label).join(', ')}.`]),
    ],
    against: against.map(objection),
  };
}

function ruleText({ facts, hits, predictions }: NamedRule): string {
  const body = facts
    .map(({ head, relation, tail }) =>
      relation.inverse
        ? `${tail.label} ${relation.label} ${head.label}`
        : `${head.label} ${relation.label} ${tail.label}`,
    )
    .join(', and ');
  return `Because ${body}: recorded in ${hits} of ${predictions} such cases.`;
}
