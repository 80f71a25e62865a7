import type { Vocabulary } from '@fuzzqe/core';
import type { Rule } from '@fuzzqe/evidence';

/** The variables between X and Y. */
const between = ['A', 'B'];

/** A rule as a sentence: `X sibling Y, if X parent A and Y parent A`. Every fact reads as it is recorded. */
export function describeRule(rule: Rule, vocabulary: Vocabulary): string {
  if (rule.kind === 'constant') {
    const [tail, attribute] = [vocabulary.entity(rule.tail).label, vocabulary.entity(rule.body.tail).label];
    const head = describeFact('X', rule.relation, tail, vocabulary);
    return `${head}, if ${describeFact('X', rule.body.relation, attribute, vocabulary)}`;
  }
  const variables = ['X', ...between.slice(0, rule.path.length - 1), 'Y'];
  return `${describeFact('X', rule.relation, 'Y', vocabulary)}, if ${describePath(rule.path, variables, vocabulary)}`;
}

/** An example of a rule as `ruleExamples` finds them: `Ann sibling Bob: Ann parent Carl and Bob parent Carl`. */
export function describeExample(rule: Rule, entities: readonly number[], vocabulary: Vocabulary): string {
  const names = entities.map((id) => vocabulary.entity(id).label);
  const [head = ''] = names;
  const path = rule.kind === 'path' ? rule.path : [rule.body.relation];
  const tail = rule.kind === 'path' ? (names.at(-1) ?? '') : vocabulary.entity(rule.tail).label;
  return `${describeFact(head, rule.relation, tail, vocabulary)}: ${describePath(path, names, vocabulary)}`;
}

function describePath(path: readonly number[], names: readonly string[], vocabulary: Vocabulary): string {
  return path
    .map((relation, i) => describeFact(names[i]!, relation, names[i + 1]!, vocabulary))
    .join(' and ');
}

/** A fact in the direction in which it is recorded. */
function describeFact(head: string, relation: number, tail: string, vocabulary: Vocabulary): string {
  const { label, inverse } = vocabulary.relation(relation);
  return inverse ? `${tail} ${label} ${head}` : `${head} ${label} ${tail}`;
}
