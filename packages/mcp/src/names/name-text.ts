import { asEntityId, asRelationId, type EntityId, FuzzError, type Vocabulary } from '@fuzzqe/core';
import { entity, formatQuery, formatRelation, parseQueryText, readQuery } from '@fuzzqe/core/query';
import { escapeControlCharacters } from '@fuzzqe/core/text';

/** The longest name that a text shows whole. */
const longestName = 120;

/** The longest query that a text shows whole. */
export const longestExample = 500;

/** An entity as a query names it, on one line, so that it can be copied into a query. */
export function entityName(id: number, vocabulary: Vocabulary): string {
  return shortened(formatQuery(entity(asEntityId(id)), vocabulary), id);
}

/** A relation or an inverse as a query names it, on one line. */
export function relationName(id: number, vocabulary: Vocabulary): string {
  return shortened(formatRelation(asRelationId(id), vocabulary), id);
}

/** The id takes the place of a name that is too long to show. */
function shortened(name: string, id: number): string {
  return name.length <= longestName ? escapeControlCharacters(name) : `#${id}`;
}

/** The beginning of a text that people wrote, on one line. */
export function oneLine(text: string, longest = 200): string {
  const beginning = [...text.slice(0, 2 * longest)].slice(0, longest).join('');
  const line = escapeControlCharacters(beginning.replaceAll(/[\r\n\t]+/g, ' '));
  return beginning.length < text.length ? `${line}…` : line;
}

/**
 * The entity that the argument `entity` names: by an id, a key, a label, or a name as a query writes it.
 *
 * @throws FuzzError `vocabulary` or `range`: no such entity, or a label that several share.
 */
export function readEntity(value: string | number, vocabulary: Vocabulary): EntityId {
  try {
    return anchorOf(readQuery({ entity: value }, vocabulary));
  } catch (error) {
    if (typeof value !== 'string') throw error;
    try {
      return anchorOf(parseQueryText(value, vocabulary, '$.entity'));
    } catch {
      throw error;
    }
  }
}

function anchorOf(query: ReturnType<typeof parseQueryText>): EntityId {
  if (query.op === 'entity') return query.entity;
  throw new FuzzError('usage', 'entity: expected an entity, got a query', {
    path: '$.entity',
    hint: 'Give the name of one.',
  });
}
