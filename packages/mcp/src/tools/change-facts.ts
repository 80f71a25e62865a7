import { schema } from '@fuzzqe/core';
import type { FactsAccess, GivenChange } from '@fuzzqe/engine/api';
import { oneLine } from '../names/name-text.ts';
import {
  changesOf,
  countsOf,
  countsText,
  factNames,
  factsHelp,
  givenFacts,
  type WrittenCounts,
  writerOf,
  written,
} from './given-facts.ts';
import { judgeLinks, linksToJudge } from './judge-links.ts';
import { type CallLimits, defineTool, type OfferTool, type Tool, type ToolResult } from './tool.ts';

/** Facts of a log that a call gives unless it is said, and at most. */
const logSizes = { usual: 50, most: 500 } as const;

/** How many epochs a log goes back unless it is said. */
const usualEpochs = 20;

const input = { facts: givenFacts };

const batch = schema.object({
  epoch: schema.integer({ min: 1 }),
  at: schema.string,
  by: schema.optional(schema.string),
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

const newNames =
  'A name that the graph lacks is refused, as it may be misspelt, unless `create` is true: look for it first, and create only what the user agreed to create, never by yourself.';

/** What a tool that changes facts is called, and what it says of itself. */
const changeTexts: Readonly<Record<'add' | 'remove', readonly [title: string, description: string]>> = {
  add: [
    'Add facts',
    'Adds recorded facts to the knowledge graph; every query sees them at once. Add only what the user asked for or confirmed, with its source, and never a prediction of the model as a fact.',
  ],
  remove: [
    'Remove facts',
    'Removes recorded facts, or takes rejections of links back, at once and for everybody. Remove only what the user asked to remove.',
  ],
};

/** How a line of a change begins. */
const marks: Readonly<Record<GivenChange['does'], string>> = { add: '+', remove: '-', reject: '!' };

/** The tools of callers who may write. */
export function factsTools(access: FactsAccess): readonly OfferTool[] {
  const remove = defineTool({
    ...shownAs('remove'),
    description: `${changeTexts.remove[1]} ${factNames}`,
    input,
    help: { facts: factsHelp },
    output: written,
    run: (_, given, limits) => writeFacts(access, 'remove', given, limits),
  });
  const add = defineTool({
    ...shownAs('add'),
    description: `${changeTexts.add[1]} ${factNames} ${newNames}`,
    input: { ...input, create: schema.withDefault(schema.boolean, false) },
    help: {
      facts: factsHelp,
      create:
        'Whether names that the graph lacks become entities and relations: only with the agreement of the user to each new name. Default false.',
    },
    output: written,
    run: (_, given, limits) => writeFacts(access, 'add', given, limits),
  });
  return [add, remove, judgeLinks(access), linksToJudge(access), factsLog(access)];
}

function shownAs(
  does: 'add' | 'remove',
): Pick<Tool<typeof input, WrittenCounts>, 'name' | 'title' | 'changes'> {
  return { name: `${does}_facts`, title: changeTexts[does][0], changes: { isDestructive: does !== 'add' } };
}

async function writeFacts(
  access: FactsAccess,
  does: 'add' | 'remove',
  { facts, create }: schema.ObjectOf<typeof input> & { readonly create?: boolean },
  limits: CallLimits,
): Promise<ToolResult<WrittenCounts>> {
  const changes = changesOf(does, facts, 'facts');
  const counts = countsOf(await access.write(changes, { ...writerOf(limits), create }));
  return { structured: counts, text: countsText(counts) };
}

function factsLog({ store }: FactsAccess): OfferTool {
  return defineTool({
    name: 'facts_log',
    title: 'List changes of facts',
    description:
      'Lists what was added and removed after an epoch, write by write, oldest first, and the epoch of the store now. A call that continues begins at `next`.',
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
      const batches: schema.Infer<typeof batch>[] = [];
      let left = limit;
      let next: number | undefined;
      for await (const { changes, ...head } of store.since(from)) {
        if (left <= 0) {
          next = batches.at(-1)!.epoch;
          break;
        }
        const shown = changes.slice(0, left).map(({ does, head, relation, tail, source }) => ({
          does,
          head,
          relation,
          tail,
          ...(source === undefined ? {} : { source }),
        }));
        left -= shown.length;
        const { epoch: at, at: time, by } = head;
        const omitted = changes.length - shown.length;
        batches.push({ epoch: at, at: time, ...(by === undefined ? {} : { by }), changes: shown, omitted });
      }
      const lines = batches.flatMap(({ epoch, at, by, changes, omitted }) => [
        `Epoch ${epoch}, ${at}${by === undefined ? '' : `, by ${oneLine(by, 80)}`}`,
        ...changes.map(
          ({ does, head, relation, tail, source }) =>
            `${marks[does]} ${[head, relation, tail].map((name) => oneLine(name, 120)).join(' | ')}${source === undefined ? '' : ` (${oneLine(source, 120)})`}`,
        ),
        ...(omitted === 0 ? [] : [`  and ${omitted} more`]),
      ]);
      return {
        structured: { epoch, store: id, batches, ...(next === undefined ? {} : { next }) },
        text: [
          `The store is at epoch ${epoch}${batches.length === 0 ? `; no changes after ${from}.` : ':'}`,
          ...lines,
          ...(next === undefined ? [] : [`There are more: since ${next}.`]),
        ].join('\n'),
      };
    },
  });
}
