import type { GivenChange, GivenWriter, WrittenFacts } from '@fuzzqe/api';
import { schema } from '@fuzzqe/core';
import { validityFields, withValidity } from '@fuzzqe/names';
import type { CallLimits } from './tool.ts';

/** The most facts of one call. */
export const mostFacts = 1000;

const factInput = {
  head: schema.string,
  relation: schema.string,
  tail: schema.string,
  source: schema.optional(schema.string),
  date: schema.optional(schema.string),
  confidence: schema.optional(schema.number({ above: 0, max: 1 })),
  ...validityFields,
};
type GivenFact = Omit<GivenChange, 'does' | 'said' | 'place'>;

/** Facts as a call gives them. */
export const givenFacts: schema.Schema<readonly GivenFact[]> = schema.array(
  withValidity(schema.object(factInput)),
  { min: 1, max: mostFacts },
);

/** What a write came to. */
export interface WrittenCounts {
  readonly epoch: number;
  readonly added: number;
  readonly removed: number;
  readonly rejected?: number;
  readonly unchanged: number;
  readonly created?: number;
}

/** The same as a schema. */
export const written: schema.Schema<WrittenCounts> = schema.object({
  epoch: schema.integer({ min: 0 }),
  added: schema.integer({ min: 0 }),
  removed: schema.integer({ min: 0 }),
  rejected: schema.optional(schema.integer({ min: 1 })),
  unchanged: schema.integer({ min: 0 }),
  created: schema.optional(schema.integer({ min: 1 })),
});

/** What the names of facts are. */
export const factNames: string =
  'Names are those of queries: keys, labels or `#id` of entities; find_entities and find_relations give them as `name`. All facts are written or none.';

/** What the arguments of facts mean. */
export const factsHelp: string = `1 to ${mostFacts} facts: \`head\`, \`relation\` (with ^-1 the fact is turned round) and \`tail\`; \`source\`, \`date\` and \`confidence\` (0 to 1) are kept with the change; the fact holds from \`from\` until just before \`until\`, such as 2001 or 2001-05-31.`;

/** Facts of a call as changes. */
export function changesOf(
  does: GivenChange['does'],
  facts: readonly GivenFact[],
  argument: string,
): GivenChange[] {
  return facts.map(({ head, relation, tail, ...provenance }, i) => ({
    does,
    head: unquoted(head),
    relation: unquoted(relation),
    tail: unquoted(tail),
    ...provenance,
    place: `$.${argument}[${i}]`,
  }));
}

/** Who writes by a call. */
export function writerOf({ time, ...costs }: CallLimits): GivenWriter {
  const by = typeof time.caller === 'string' ? time.caller : undefined;
  return { by, reading: { ...time, ...costs } };
}

/** The counts of a write, for programs. */
export function countsOf(counts: WrittenFacts): WrittenCounts {
  const { epoch, added, removed, rejected = 0, unchanged, created = 0 } = counts;
  return {
    ...{ epoch, added, removed },
    ...(rejected === 0 ? {} : { rejected }),
    unchanged,
    ...(created === 0 ? {} : { created }),
  };
}

/** The counts of a write, for people. */
export function countsText({ epoch, added, removed, rejected, unchanged, created }: WrittenCounts): string {
  const gone = `${removed} removed${rejected === undefined ? '' : `, ${rejected} rejected`}`;
  const names = created === undefined ? '' : ` ${created} new names were created.`;
  return `Epoch ${epoch}: ${added} added, ${gone}, ${unchanged} as they were.${names}`;
}

/** A name without the quotes with which a query writes it. */
export function unquoted(name: string): string {
  const [, quoted, inverse = ''] = /^("(?:[^"\\]|\\.)*")(\^-1)?$/s.exec(name) ?? [];
  if (quoted === undefined) return name;
  try {
    return `${JSON.parse(quoted)}${inverse}`;
  } catch {
    return name;
  }
}
