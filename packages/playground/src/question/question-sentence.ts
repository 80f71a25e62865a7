import type { EntityId, RelationId } from '@fuzzqe/core';
import type { Question } from './question.ts';

/** The labels that a sentence needs. */
export interface SentenceNames {
  labelOf(entity: EntityId): string;
  /** The label of a relation of the data; the sentence says its direction. */
  dataLabel(relation: RelationId): string;
}

/**
 * A question in words: `and(project(borders, France), not(Spain))` is `everything that France borders, but is not Spain`.
 *
 * Labels that begin with a verb become verbs, other labels become nouns; an open place is `…`.
 */
export function questionSentence(question: Question, names: SentenceNames): string {
  if (isOpen(question)) return '…';
  if (question.kind === 'anchor') return nounOf(question, names);
  return `everything ${clauseOf(question, names)}`;
}

/** A clause about what answers the part: `that borders France`. */
function clauseOf(part: Question, names: SentenceNames): string {
  switch (part.kind) {
    case 'hole':
      return '…';
    case 'anchor':
      return `that is ${nounOf(part, names)}`;
    case 'not':
      return `except what ${clauseOf(part.of, names).replace(/^that /, '')}`.replace(
        /^except what (?=whose |\(|except )/,
        'except everything ',
      );
    case 'and':
    case 'or': {
      // What is excluded comes last, or the sentence begins with it.
      const kept = part.parts.filter(({ kind }) => kind !== 'not');
      const excluded = part.parts.filter(({ kind }) => kind === 'not');
      const clauses = (all: readonly Question[]): string =>
        all.map((each) => bracketed(each, names)).join(` ${part.kind} `);
      if (part.kind === 'or' || kept.length === 0 || excluded.length === 0) return clauses(part.parts);
      return `${clauses(kept)}, ${clauses(excluded)}`;
    }
    case 'hop':
      return hopClause(part, names);
  }
}

function hopClause(part: Question & { kind: 'hop' }, names: SentenceNames): string {
  const label = part.relation === undefined ? '…' : names.dataLabel(part.relation);
  const words = label.split(/\s+/);
  const [first = '', ...others] = words;
  const last = nounOf(part.of, names);
  const endsOpen = words.length > 1 && /^(?:of|in|to|by|on|at|for|from|with)$/.test(words.at(-1) ?? '');
  const isVerb = /^(?:is|was|has|had|does)$/.test(first) || /^[a-z]{2,}[^su\W]s$/.test(first);
  if (part.inverse) {
    if (isVerb) return `that ${label} ${last}`;
    return endsOpen ? `that is ${label} ${last}` : `whose ${label} is ${last}`;
  }
  if (first === 'has' && others.length > 0) return `that is the ${others.join(' ')} of ${last}`;
  const within = part.of.kind === 'anchor' || part.of.kind === 'hole' ? last : `(${last})`;
  if (endsOpen) return `that ${within} ${isVerb ? '' : 'is '}${label}`;
  if (!isVerb) return `that is the ${label} of ${last}`;
  return `that ${within} ${first}${others.length === 0 ? '' : ` as ${others.join(' ')}`}`;
}

/** A part as the object of a verb: `France`, `something that borders France`. */
function nounOf(part: Question, names: SentenceNames): string {
  if (isOpen(part)) return '…';
  if (part.kind === 'anchor' && part.entity !== undefined) return names.labelOf(part.entity);
  return `something ${bracketed(part, names)}`;
}

/** A joint within another part needs brackets: `and` and `or` have no order in a sentence. */
function bracketed(part: Question, names: SentenceNames): string {
  const clause = clauseOf(part, names);
  return part.kind === 'and' || part.kind === 'or' ? `(${clause})` : clause;
}

function isOpen(part: Question): boolean {
  return part.kind === 'hole' || (part.kind === 'anchor' && part.entity === undefined);
}
