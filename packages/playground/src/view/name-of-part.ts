import type { Question } from '../question/question.ts';
import { relationOf } from '../question/to-query.ts';
import type { PageState } from './page-state.ts';

type Names = Pick<PageState, 'labelOf' | 'relationLabel'>;

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
