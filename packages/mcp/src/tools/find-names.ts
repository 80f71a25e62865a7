import { type KnowledgeGraph, type NameEntry, type Steps, schema, type Vocabulary } from '@fuzzqe/core';
import { type FoundNames, inTurns, searchNames } from '@fuzzqe/engine';
import { entityName, oneLine, relationName } from '../names/name-text.ts';
import { type CallLimits, defineTool, type OfferTool, type ToolResult } from './tool.ts';

/** How many names a page has unless it is said, and at most. */
const pageSizes = { usual: 20, most: 100 } as const;
/** Anyone who reads so far should search instead. */
const furthest = 10_000;

const input = {
  text: schema.withDefault(schema.string, ''),
  offset: schema.withDefault(schema.integer({ min: 0, max: furthest }), 0),
  limit: schema.withDefault(schema.integer({ min: 1, max: pageSizes.most }), pageSizes.usual),
};

const help = (kind: string): { readonly [K in keyof typeof input]: string } => ({
  text: `A name or a part of one, in any case and possibly misspelt. Leave it out to list all ${kind}.`,
  offset: 'Where the page begins: `next` of the page before. Default 0.',
  limit: `The most names on a page. Default ${pageSizes.usual}.`,
});

interface FoundName {
  readonly id: number;
  readonly key: string;
  readonly label: string;
  readonly name: string;
  readonly description?: string;
  readonly facts: number;
}

interface Found {
  /** How many were found. */
  readonly total: number;
  readonly results: readonly FoundName[];
  readonly next?: number;
}

const page: schema.Schema<Found> = schema.object({
  total: schema.integer({ min: 0 }),
  results: schema.array(
    schema.object({
      id: schema.integer({ min: 0 }),
      key: schema.string,
      label: schema.string,
      name: schema.string,
      description: schema.optional(schema.string),
      facts: schema.integer({ min: 0 }),
    }),
  ),
  next: schema.optional(schema.integer({ min: 0 })),
});

/** Finds entities by their names. */
export const findEntities: OfferTool = defineTool({
  name: 'find_entities',
  title: 'Find entities',
  description:
    'Searches the entities of the knowledge graph by key, label, further name and description; the best match comes first. Use it before `ask`, to learn how the things in a question are called. `name` is how a query names an entity, `facts` how many recorded facts it has.',
  input,
  help: help('entities'),
  output: page,
  meant: { q: 'text', '$.query': 'text' },
  run: ({ vocabulary, facts }, wanted, { time, ...costs }) =>
    pageOf('entities', wanted, time, {
      count: vocabulary.entityCount,
      search: (text, page) =>
        searchNames(vocabulary.entityCount + vocabulary.aliases.count, { ...time, ...costs }, (misspelt) =>
          vocabulary.searchingEntities(text, { ...page, misspelt }),
        ),
      at: (place) => place,
      entry: (id) => ({
        id,
        ...vocabulary.entity(id),
        name: entityName(id, vocabulary),
        facts: facts.degree(id),
      }),
    }),
});

/** Finds relations by their names. */
export const findRelations: OfferTool = defineTool({
  name: 'find_relations',
  title: 'Find relations',
  description:
    'Lists or searches the relations of the knowledge graph. A query follows a relation from head to tail, and from tail to head where ^-1 stands after its name. `facts` says how many are recorded, `example` shows one.',
  input,
  help: help('relations'),
  output: page,
  meant: { q: 'text', '$.query': 'text' },
  run: ({ vocabulary, facts }, wanted, { time, ...costs }) =>
    pageOf('relations', wanted, time, {
      count: vocabulary.relationCount / 2,
      search: (text, page) =>
        searchNames(vocabulary.relationCount / 2, { ...time, ...costs }, (misspelt) =>
          vocabulary.searchingRelations(text, { ...page, misspelt }),
        ),
      at: (place) => 2 * place,
      entry: (id) => {
        const { inverse: _, ...names } = vocabulary.relation(id);
        return { id, ...names, name: relationName(id, vocabulary), facts: countFacts(facts, id) };
      },
      example: (id) => exampleFact(id, facts, vocabulary),
    }),
});

interface Listing {
  readonly count: number;
  search(
    text: string,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<FoundNames<{ readonly id: number }>>;
  /** The id at a place of the list of all. */
  at(place: number): number;
  entry(id: number): NameEntry & { readonly id: number; readonly name: string; readonly facts: number };
  example?(id: number): string | undefined;
}

async function pageOf(
  kind: string,
  { text, offset, limit }: schema.ObjectOf<typeof input>,
  time: CallLimits['time'],
  { count, search, at, entry, example }: Listing,
): Promise<ToolResult<Found>> {
  const wanted = text.trim();
  const found: FoundNames<{ readonly id: number }> =
    wanted === ''
      ? {
          total: count,
          results: placesFrom(offset, Math.min(limit, count - offset)).map((i) => ({ id: at(i) })),
        }
      : await search(wanted, { offset, limit });
  const { total } = found;
  const { results, lines } = await inTurns(listing(found.results, entry, example), time);
  const end = offset + results.length;
  const next = end < total && end <= furthest && results.length > 0 ? end : undefined;
  if (next !== undefined) lines.push(`There are more: offset ${next}.`);
  if (found.misspelt === false) lines.push('Misspelt names were not looked for: there are too many names.');
  const heading =
    wanted === ''
      ? `${count} ${kind}`
      : `${total} of ${count} ${kind} are called like "${oneLine(wanted, 80)}"`;
  return {
    structured: { total, results, ...(next === undefined ? {} : { next }) },
    text: [`${heading}${lines.length === 0 ? '.' : ':'}`, ...lines].join('\n'),
  };
}

/** Names that are listed in a piece of work: the facts of a relation that is asked for at first are counted. */
const listedOfStep = 8;

function* listing(
  found: readonly { readonly id: number }[],
  entry: Listing['entry'],
  example: Listing['example'],
): Steps<{ readonly results: readonly FoundName[]; readonly lines: string[] }> {
  const results: FoundName[] = [];
  const lines: string[] = [];
  for (const { id } of found) {
    if (results.length % listedOfStep === 0) yield;
    const result = entry(id);
    results.push(result);
    lines.push(lineOf(result, example?.(id)));
  }
  return { results, lines };
}

function placesFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: Math.max(0, count) }, (_, i) => first + i);
}

function lineOf(
  { id, key, label, name, description, facts }: FoundName,
  example: string | undefined,
): string {
  const others = [
    `#${id}`,
    ...(key === label ? [] : [`key ${oneLine(key, 80)}`]),
    `${facts} ${facts === 1 ? 'fact' : 'facts'}`,
  ];
  const more = [
    ...(description === undefined ? [] : [oneLine(description)]),
    ...(example === undefined ? [] : [`e.g. ${example}`]),
  ];
  return `- ${name} (${others.join(', ')})${more.length === 0 ? '' : `: ${more.join('; ')}`}`;
}

const counted = new WeakMap<KnowledgeGraph, Map<number, number>>();

/** How many facts a relation has. */
function countFacts(facts: KnowledgeGraph, relation: number): number {
  const counts = counted.get(facts) ?? new Map<number, number>();
  counted.set(facts, counts);
  const known = counts.get(relation);
  if (known !== undefined) return known;
  const { relationOffsets, relationGroups, groupOffsets } = facts.index;
  let count = 0;
  for (let at = relationOffsets[relation]!; at < relationOffsets[relation + 1]!; at += 1) {
    const group = relationGroups[at]!;
    count += groupOffsets[group + 1]! - groupOffsets[group]!;
  }
  counts.set(relation, count);
  return count;
}

function exampleFact(relation: number, facts: KnowledgeGraph, vocabulary: Vocabulary): string | undefined {
  const head = facts.headsOf(relation)[0];
  if (head === undefined) return undefined;
  const tail = facts.tails(head, relation)[0]!;
  return `${entityName(head, vocabulary)} → ${entityName(tail, vocabulary)}`;
}
