import { inverseOf, type RelationId } from '@fuzzqe/core';
import type { Path, TermVariable } from '@traqula/rules-sparql-1-1';
import { placeOf } from '../syntax/parse-syntax.ts';
import type { Reading } from './element.ts';

/**
 * The relations that a predicate or path follows, in their order; `^` gives inverses.
 *
 * @throws FuzzError `query`: a variable, or another kind of path. `vocabulary`: a relation that the graph does not have.
 */
export function readPath(path: Path | TermVariable, reading: Reading): RelationId[] {
  if (path.subType === 'variable') {
    const hint = 'Which relations there are: GET /v1/relations.';
    throw reading.fail(placeOf(path), 'predicate: expected a relation, got a variable', hint);
  }
  switch (path.subType) {
    case 'namedNode':
      return [reading.names.relation(path)];
    case '/':
      return path.items.flatMap((item) => readPath(item, reading));
    case '^':
      return readPath(path.items[0], reading).reverse().map(inverseOf);
    default: {
      const hint =
        path.subType === '|'
          ? 'Write both ways as UNION.'
          : 'How often a relation is followed has to be written out.';
      throw reading.fail(placeOf(path), `path: expected "/" or "^", got "${path.subType}"`, hint);
    }
  }
}
