import { partsOf, type Question } from '../question/question.ts';
import { toQuery } from '../question/to-query.ts';

/** The largest parts of a question that can be asked: the whole of it, or those beside what is still open. */
export function completeParts(question: Question): readonly Question[] {
  return toQuery(question) === undefined ? partsOf(question).flatMap(completeParts) : [question];
}

/** The key of each part by its path in the JSON form of queries: `$`, `$.and[1].from`. */
export function keysByPath(question: Question): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  const visit = (part: Question, path: string): void => {
    keys.set(path, part.key);
    for (const [i, below] of partsOf(part).entries())
      visit(
        below,
        part.kind === 'hop'
          ? `${path}.from`
          : part.kind === 'not'
            ? `${path}.not`
            : `${path}.${part.kind}[${i}]`,
      );
  };
  visit(question, '$');
  return keys;
}
