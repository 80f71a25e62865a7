import { FuzzError } from '../errors.ts';
import { asRelationId, type EntityId, type RelationId } from '../kg/ids.ts';
import { isIri, withPrefix } from '../kg/prefixes.ts';
import { inverseSuffix, type NameEntry, type Vocabulary } from '../kg/vocabulary.ts';
import { checkQuery } from './check-query.ts';
import { isBareName, writeName } from './name-text.ts';
import { createNotationReader } from './notation-reader.ts';
import type { Query } from './query.ts';

/**
 * Reads a query in the notation of docs/query-notation.md.
 *
 * `and(project(borders, France), not(project(currency^-1, Euro)))`
 * Ranges: at most 64 levels and 1024 nodes. `path` says where the text stands, for errors.
 *
 * @throws FuzzError `query`, `vocabulary` or `range`, with line and column, and a caret under the place in the hint.
 * @example
 * const query = parseQueryText('and(project(borders, France), not(project(borders, Germany)))', vocabulary);
 */
export function parseQueryText(text: string, vocabulary: Vocabulary, path?: string): Query {
  const reader = createNotationReader(text, vocabulary, path);
  const query = reader.readQuery(1);
  const { token } = reader;
  if (token.kind !== 'end') {
    const hint = token.kind.endsWith('name')
      ? 'Names with spaces need double quotes.'
      : 'Join several queries by and(…) or or(…).';
    throw reader.fail(token, 'the end of the query', hint);
  }
  return query;
}

/**
 * Writes a query in the notation: each name by its label where that is enough to find it again, else by its key, which
 * an IRI has with a prefix of the graph, or in full as `<iri>`.
 *
 * `parseQueryText(formatQuery(query, vocabulary), vocabulary)` is the query again.
 *
 * @throws FuzzError `range` or `query`, as `checkQuery` does.
 * @example
 * formatQuery(parseQueryText('project(borders,France)', vocabulary), vocabulary); // 'project(borders, France)'
 */
export function formatQuery(query: Query, vocabulary: Vocabulary): string {
  checkQuery(query, vocabulary);
  const write = (node: Query): string => {
    switch (node.op) {
      case 'entity':
        return formatEntity(node.entity, vocabulary);
      case 'project':
        return `project(${formatRelation(node.relation, vocabulary)}, ${write(node.from)})`;
      case 'not':
        return `not(${write(node.operand)})`;
      default:
        return `${node.op}(${node.operands.map(write).join(', ')})`;
    }
  };
  return write(query);
}

/** An entity's name as the notation writes it: the label if it finds the entity, else a form of the key. */
export function formatEntity(id: EntityId, vocabulary: Vocabulary): string {
  // What is no name of it needs no near ones.
  const { findEntity } = vocabulary.withoutNearNames;
  const find = (name: string): boolean => findEntity(name) === id;
  return formatName(vocabulary.entity(id), find, vocabulary);
}

/** A relation's name as the notation writes it, `^-1` after it for an inverse. */
export function formatRelation(id: RelationId, vocabulary: Vocabulary): string {
  const forward = asRelationId(id - (id % 2));
  const { findRelation } = vocabulary.withoutNearNames;
  const find = (found: string): boolean => findRelation(found) === forward;
  const name = formatName(vocabulary.relation(forward), find, vocabulary);
  return id === forward ? name : name + inverseSuffix;
}

function formatName(
  { key, label }: NameEntry,
  find: (name: string) => boolean,
  { prefixes }: Vocabulary,
): string {
  if (label !== key && finds(find, label)) return writeName(label);
  const short = withPrefix(key, prefixes);
  if (short !== undefined && isBareName(short) && finds(find, short)) return short;
  const inBrackets = `<${key}>`;
  if (isIri(key) && finds(find, inBrackets)) return inBrackets;
  // A key may look like another one between brackets.
  return writeName(finds(find, key) ? key : inBrackets);
}

function finds(find: (name: string) => boolean, name: string): boolean {
  try {
    return find(name);
  } catch (error) {
    // An unknown or ambiguous label: the answer is no.
    if (error instanceof FuzzError) return false;
    throw error;
  }
}
