import type { RelationId } from '@fuzzqe/core';
import type { WordsGraph } from './question-pattern.ts';
import { formsOf, relationLexicon } from './relation-words.ts';

/** How many questions are shown. */
const shown = 5;

/** Questions that templates know and facts answer: an example each of some relations. */
export function askableQuestions({ vocabulary, facts }: WordsGraph): readonly string[] {
  const { nouns, verbs, predicates, places } = relationLexicon(vocabulary);
  const fact = (relation: RelationId): readonly [head: string, tail: string] | undefined => {
    const [head] = facts.headsOf(relation);
    if (head === undefined) return undefined;
    const label = (id: number): string => vocabulary.entity(id).label;
    return [label(head), label(facts.tails(head, relation)[0]!)];
  };
  const asked = [
    ...verbs.map(({ relation, words }) => {
      const [, tail] = fact(relation) ?? [];
      const [base = '', ...rest] = words.split(' ');
      return tail && `what ${[formsOf(base).finite[1], ...rest].join(' ')} ${tail}`;
    }),
    ...nouns.map(({ relation, words }) => {
      const [head] = fact(relation) ?? [];
      return head && `${words} of ${head}`;
    }),
    ...places.map((relation) => {
      const [, tail] = fact(relation) ?? [];
      return tail && `what is in ${tail}`;
    }),
    ...predicates.map(({ relation, words }) => {
      const [, tail] = fact(relation) ?? [];
      return tail && `what is ${words} ${tail}`;
    }),
  ];
  return [...new Set(asked)].filter((each) => each !== undefined).slice(0, shown);
}
