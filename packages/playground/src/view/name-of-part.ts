import type { PartMembers } from '../ask/asking.ts';
import type { Question } from '../question/question.ts';
import { relationOf } from '../question/to-query.ts';
import type { PageState } from './page-state.ts';

type Names = Pick<PageState, 'labelOf' | 'relationLabel'>;

/** How many of the best entities are named. */
const named = 3;

/** A part in words, for those who hear it. */
export function describePart(
  part: Question,
  state: Names,
  members: PartMembers = [],
  isTarget = false,
): string {
  const best = members.slice(0, named).map(({ label, degree }) => `${label} ${degree.toFixed(2)}`);
  const found = best.length === 0 ? '' : `; best: ${best.join(', ')}`;
  return `${isTarget ? 'Target: ' : ''}${nameOfPart(part, state)}${found}`;
}

/** What a part is, in a few words. */
export function nameOfPart(part: Question, state: Names): string {
  switch (part.kind) {
    case 'hole':
      return 'An open place';
    case 'anchor':
      return part.entity === undefined ? 'An open place' : state.labelOf(part.entity);
    case 'hop': {
      const relation =
        part.relation === undefined
          ? 'some relation'
          : state.relationLabel(relationOf(part) ?? part.relation);
      const of =
        part.of.kind === 'anchor' && part.of.entity !== undefined
          ? ` of ${state.labelOf(part.of.entity)}`
          : '';
      return `${relation}${of}`;
    }
    case 'and':
      return part.parts.length === 2 ? 'Both parts' : `All ${part.parts.length} parts`;
    case 'or':
      return part.parts.length === 2 ? 'Either part' : `Any of ${part.parts.length} parts`;
    case 'not':
      return `not ${nameOfPart(part.of, state)}`;
  }
}
