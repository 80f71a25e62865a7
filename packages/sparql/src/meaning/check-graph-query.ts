import { errorAt } from '@fuzzqe/core/query';
import type { Pattern } from '@traqula/rules-sparql-1-1';
import { type ParsedText, placeOf } from '../syntax/parsed-text.ts';

/**
 * Refuses what asks for other graphs: a bundle is one graph, and a server asks no other.
 *
 * @throws FuzzError `query`, with the place.
 */
export function checkGraphQuery({ query, text }: ParsedText): void {
  const [dataset] = query.datasets.clauses;
  if (dataset !== undefined)
    throw errorAt(
      text,
      placeOf(dataset.value),
      'FROM: expected no data set, got one',
      'A bundle is one graph: leave FROM out.',
    );
  const seen = new Set<object>();
  const walk = (part: object): void => {
    if (seen.has(part)) return;
    seen.add(part);
    if ('type' in part && part.type === 'pattern' && 'subType' in part) {
      const hint = hints[String(part.subType)];
      const name = String(part.subType).toUpperCase();
      if (hint !== undefined)
        throw errorAt(
          text,
          placeOf(part as Pattern),
          `${name}: expected patterns of this graph, got one of another`,
          hint,
        );
    }
    for (const [name, each] of Object.entries(part))
      if (name !== 'loc' && typeof each === 'object' && each !== null) walk(each);
  };
  walk(query);
}

const hints: Readonly<Record<string, string>> = {
  graph: 'A bundle is one graph: write the patterns without GRAPH.',
  service: 'The server asks no other server. Ask both from a client that federates, such as Comunica.',
};
