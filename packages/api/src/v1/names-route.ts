import { type NameEntry, type Page, schema, type Vocabulary } from '@fuzzqe/core';
import { type Engine, type SearchLimits, searchNames } from '@fuzzqe/engine';
import { readParameters } from './read-parameters.ts';

/** The most names that one answer lists. */
const maxLimit = 1000;

/** A name with its id. */
export interface NamedId extends NameEntry {
  readonly id: number;
  /** False of a relation that came after the training: its facts answer, and rules that are mined from them. */
  readonly trained?: false;
}

/** What a listing answers: the names found, best first, or all in the order of their ids; a page of them. */
export interface NameListing {
  /** How many match the search, or there are in all where nothing is searched for. */
  readonly total: number;
  readonly results: readonly NamedId[];
  /** False where only names were found that have the text in them: to look for misspelt ones as well would have cost too much. */
  readonly misspelt?: false;
}

/** Answers `GET /v1/entities`: `q` searches, `limit` is 10 unless given, `offset` 0. */
export async function listEntities(
  vocabulary: Vocabulary,
  address: string,
  limits: SearchLimits,
): Promise<NameListing> {
  const { text, page } = readPage(address, 10);
  const total = vocabulary.entityCount;
  if (text !== '')
    return searchNames(total + vocabulary.aliases.count, limits, (misspelt) =>
      vocabulary.searchingEntities(text, { ...page, misspelt }),
    );
  return { total, results: idsOf(total, page, 1).map((id) => ({ id, ...vocabulary.entity(id) })) };
}

/** Answers `GET /v1/relations`, forward relations only: `q` searches, `limit` is 1000 unless given, `offset` 0. */
export async function listRelations(
  { vocabulary, trainedRelations }: Pick<Engine, 'vocabulary' | 'trainedRelations'>,
  address: string,
  limits: SearchLimits,
): Promise<NameListing> {
  const { text, page } = readPage(address, maxLimit);
  const total = vocabulary.relationCount / 2;
  const marked = (named: NamedId): NamedId =>
    named.id < trainedRelations ? named : { ...named, trained: false };
  if (text !== '') {
    const found = await searchNames(total, limits, (misspelt) =>
      vocabulary.searchingRelations(text, { ...page, misspelt }),
    );
    return { ...found, results: found.results.map(marked) };
  }
  const results = idsOf(total, page, 2).map((id) => {
    const { inverse: _, ...names } = vocabulary.relation(id);
    return marked({ id, ...names });
  });
  return { total, results };
}

/** The parameters of both listings. */
export const nameParameters: schema.Schema<{
  readonly q: string;
  readonly limit?: number;
  readonly offset?: number;
}> = schema.object({
  q: schema.withDefault(schema.string, ''),
  limit: schema.optional(schema.integerText({ min: 1, max: maxLimit })),
  offset: schema.optional(schema.integerText({ min: 0 })),
});

/** A page without how it is searched for. */
type Place = Required<Pick<Page, 'limit' | 'offset'>>;

function readPage(address: string, fallback: number): { text: string; page: Place } {
  const {
    q,
    limit = fallback,
    offset = 0,
  } = readParameters(address, nameParameters, {
    value: 'Search with q, or go on by offset.',
    name: 'For example ?q=fran&limit=5.',
  });
  return { text: q.trim(), page: { limit, offset } };
}

function idsOf(total: number, { limit, offset }: Place, step: number): number[] {
  const count = Math.min(limit, Math.max(total - offset, 0));
  return Array.from({ length: count }, (_, i) => (offset + i) * step);
}
