import { createKeys, type Question } from './question.ts';

/**
 * A question that was read anew, with the keys of the former one wherever both have a part of the same kind in the same place, so that
 * what is drawn of them stays.
 */
export function keepKeys(next: Question, former: Question): Question {
  const keys = createKeys(former);
  const visit = (part: Question, before: Question | undefined): Question => {
    const isSame = before !== undefined && (before.kind === part.kind || (isLeaf(before) && isLeaf(part)));
    const key = isSame ? before.key : keys();
    switch (part.kind) {
      case 'hop':
      case 'not':
        return {
          ...part,
          key,
          of: visit(part.of, before?.kind === part.kind && 'of' in before ? before.of : undefined),
        };
      case 'and':
      case 'or': {
        const parts = before !== undefined && 'parts' in before && isSame ? before.parts : [];
        return { ...part, key, parts: part.parts.map((each, i) => visit(each, parts[i])) };
      }
      default:
        return { ...part, key };
    }
  };
  return visit(next, former);
}

function isLeaf({ kind }: Question): boolean {
  return kind === 'anchor' || kind === 'hole';
}
