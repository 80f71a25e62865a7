import type { FactsAccess, GivenBatch, GivenChange, GivenNames } from '@fuzzqe/api';
import { schema } from '@fuzzqe/core';
import { oneLine } from '../names/name-text.ts';
import { defineTool, type OfferTool } from './tool.ts';

/** Changes of a log that a call gives unless it is said, and at most. */
const logSizes = { usual: 50, most: 500 } as const;

/** How many epochs a log goes back unless it is said. */
const usualEpochs = 20;

const batch = schema.object({
  epoch: schema.integer({ min: 1 }),
  at: schema.string,
  by: schema.optional(schema.string),
  names: schema.optional(
    schema.array(
      schema.object({
        entity: schema.string,
        label: schema.optional(schema.nullable(schema.string)),
        aliases: schema.optional(schema.nullable(schema.array(schema.string))),
        attributes: schema.optional(
          schema.array(
            schema.object({ key: schema.string, values: schema.nullable(schema.array(schema.string)) }),
          ),
        ),
      }),
    ),
  ),
  changes: schema.array(
    schema.object({
      does: schema.oneOf(['add', 'remove', 'reject']),
      head: schema.string,
      relation: schema.string,
      tail: schema.string,
      source: schema.optional(schema.string),
    }),
  ),
  omitted: schema.integer({ min: 0 }),
});
type ListedBatch = schema.Infer<typeof batch>;
type ListedNames = NonNullable<ListedBatch['names']>[number];

/** Lists what was written after an epoch. */
export function factsLog({ store }: Pick<FactsAccess, 'store'>): OfferTool {
  return defineTool({
    name: 'facts_log',
    title: 'List changes of facts',
    description:
      'Lists facts that were added, removed and rejected after an epoch, and labels, further names and attributes that were changed: write by write, oldest first, with the epoch of the store now. A call that continues begins at `next`.',
    input: {
      since: schema.optional(schema.integer({ min: 0 })),
      limit: schema.withDefault(schema.integer({ min: 1, max: logSizes.most }), logSizes.usual),
    },
    help: {
      since: `The epoch after which changes are listed. Default: ${usualEpochs} epochs ago.`,
      limit: `The most changes. Default ${logSizes.usual}.`,
    },
    output: schema.object({
      epoch: schema.integer({ min: 0 }),
      store: schema.string,
      batches: schema.array(batch),
      next: schema.optional(schema.integer({ min: 0 })),
    }),
    meant: { epoch: 'since' },
    async run(_, { since, limit }) {
      const { id, epoch } = store;
      const from = since ?? Math.max(0, epoch - usualEpochs);
      const batches: ListedBatch[] = [];
      let left = limit;
      let next: number | undefined;
      for await (const each of store.since(from)) {
        if (left <= 0) {
          next = batches.at(-1)!.epoch;
          break;
        }
        const listed = listedBatch(each, left);
        left -= listed.changes.length + (listed.names?.length ?? 0);
        batches.push(listed);
      }
      return {
        structured: { epoch, store: id, batches, ...(next === undefined ? {} : { next }) },
        text: [
          `The store is at epoch ${epoch}${batches.length === 0 ? `; no changes after ${from}.` : ':'}`,
          ...batches.flatMap(linesOf),
          ...(next === undefined ? [] : [`There are more: since ${next}.`]),
        ].join('\n'),
      };
    },
  });
}

/** A batch with at most so many changes, names first. */
function listedBatch({ epoch, at, by, names = [], changes }: GivenBatch, most: number): ListedBatch {
  const named = names.slice(0, most).map(listedNames);
  const shown = changes.slice(0, most - named.length).map(({ does, head, relation, tail, source }) => ({
    ...{ does, head, relation, tail },
    ...(source === undefined ? {} : { source }),
  }));
  return {
    epoch,
    at,
    ...(by === undefined ? {} : { by }),
    ...(named.length === 0 ? {} : { names: named }),
    changes: shown,
    omitted: names.length + changes.length - named.length - shown.length,
  };
}

function listedNames({ key, label, aliases, attributes }: GivenNames): ListedNames {
  return {
    entity: key,
    ...(label === undefined ? {} : { label }),
    ...(aliases === undefined ? {} : { aliases: aliases?.map(({ text }) => text) ?? null }),
    ...(attributes === undefined
      ? {}
      : {
          attributes: attributes.map((each) => ({
            key: each.key,
            values: each.values?.map(({ value }) => value) ?? null,
          })),
        }),
  };
}

/** How a line of a change begins. */
const marks: Readonly<Record<GivenChange['does'], string>> = { add: '+', remove: '-', reject: '!' };

function linesOf({ epoch, at, by, names = [], changes, omitted }: ListedBatch): readonly string[] {
  return [
    `Epoch ${epoch}, ${at}${by === undefined ? '' : `, by ${oneLine(by, 80)}`}`,
    ...names.map((each) => `~ ${oneLine(namesText(each), 400)}`),
    ...changes.map(
      ({ does, head, relation, tail, source }) =>
        `${marks[does]} ${[head, relation, tail].map((name) => oneLine(name, 120)).join(' | ')}${source === undefined ? '' : ` (${oneLine(source, 120)})`}`,
    ),
    ...(omitted === 0 ? [] : [`  and ${omitted} more`]),
  ];
}

function namesText({ entity, label, aliases, attributes = [] }: ListedNames): string {
  const said = (name: string, values: readonly string[] | null | undefined): readonly string[] =>
    values === undefined ? [] : [`${name}: ${values?.join(', ') ?? 'as in the bundle'}`];
  return [
    entity,
    ...said('label', label === undefined || label === null ? label : [label]),
    ...said('aliases', aliases),
    ...attributes.flatMap(({ key, values }) => said(key, values)),
  ].join(' | ');
}
