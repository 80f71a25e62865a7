import { FuzzError, type NameEntry, schema, type Vocabulary } from '@fuzzqe/core';

/** The most names that one answer lists. */
const maxLimit = 1000;

/** A name with its id. */
export interface NamedId extends NameEntry {
  readonly id: number;
}

/** What a listing answers: the names found, best first, or the first of all in the order of their ids. */
export interface NameListing {
  /** How many there are in all, whether found or not. */
  readonly total: number;
  readonly results: readonly NamedId[];
}

/** Answers `GET /v1/entities`: `q` searches, `limit` is 10 unless given. */
export function listEntities(vocabulary: Vocabulary, parameters: URLSearchParams): NameListing {
  const { text, limit } = readParameters(parameters, 10);
  const total = vocabulary.entityCount;
  if (text !== '') return { total, results: vocabulary.searchEntities(text, limit) };
  return { total, results: firstIds(total, limit, 1).map((id) => ({ id, ...vocabulary.entity(id) })) };
}

/** Answers `GET /v1/relations`, forward relations only: `q` searches, `limit` is 1000 unless given. */
export function listRelations(vocabulary: Vocabulary, parameters: URLSearchParams): NameListing {
  const { text, limit } = readParameters(parameters, maxLimit);
  const total = vocabulary.relationCount / 2;
  if (text !== '') return { total, results: vocabulary.searchRelations(text, limit) };
  const results = firstIds(total, limit, 2).map((id) => {
    const { inverse: _, ...names } = vocabulary.relation(id);
    return { id, ...names };
  });
  return { total, results };
}

const fields = {
  q: schema.withDefault(schema.string, ''),
  limit: schema.optional(schema.integerText({ min: 1, max: maxLimit })),
};
const listing = schema.object(fields);

function readParameters(parameters: URLSearchParams, fallback: number): { text: string; limit: number } {
  const given: unknown = Object.fromEntries(parameters);
  const [issue] = schema.issuesOf(listing, given);
  if (issue !== undefined) {
    const name = issue.path.replace(/^\$\.?/, '');
    const known = Object.hasOwn(fields, name);
    throw new FuzzError(known ? 'range' : 'usage', `${name}: ${issue.message}`, {
      path: name,
      hint: known ? 'Search with q to find what is further down.' : 'For example ?q=fran&limit=5.',
    });
  }
  const { q, limit = fallback } = schema.parse(listing, given, { code: 'usage', what: 'parameters' });
  return { text: q.trim(), limit };
}

function firstIds(total: number, limit: number, step: number): number[] {
  return Array.from({ length: Math.min(total, limit) }, (_, i) => i * step);
}
