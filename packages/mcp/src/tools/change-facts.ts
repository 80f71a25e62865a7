import { schema } from '@fuzzqe/core';
import type { FactsAccess, GivenChange } from '@fuzzqe/engine/api';
import { oneLine } from '../names/name-text.ts';
import { type CallLimits, defineTool, type OfferTool, type Tool, type ToolResult } from './tool.ts';

/** The most facts of one call. */
const mostFacts = 1000;

/** Facts of a log that a call gives unless it is said, and at most. */
const logSizes = { usual: 50, most: 500 } as const;

/** How many epochs a log goes back unless it is said. */
const usualEpochs = 20;

const factInput = {
  head: schema.string,
  relation: schema.string,
  tail: schema.string,
  source: schema.optional(schema.string),
  date: schema.optional(schema.string),
  confidence: schema.optional(schema.number({ above: 0, max: 1 })),
};
const input = { facts: schema.array(schema.object(factInput), { min: 1, max: mostFacts }) };
const factsHelp = `1 to ${mostFacts} facts: \`head\`, \`relation\` (with ^-1 the fact is turned round) and \`tail\`; \`source\`, \`date\` and \`confidence\` (0 to 1) are kept with the change.`;

const written = schema.object({
  epoch: schema.integer({ min: 0 }),
  added: schema.integer({ min: 0 }),
  removed: schema.integer({ min: 0 }),
  rejected: schema.optional(schema.integer({ min: 1 })),
  unchanged: schema.integer({ min: 0 }),
  created: schema.optional(schema.integer({ min: 1 })),
});

type WrittenByTool = schema.Infer<typeof written>;

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

const names =
  'Names are those of queries: keys, labels or `#id` of entities; find_entities and find_relations give them as `name`. All facts are written or none.';

const newNames =
  'A name that the graph lacks is refused, as it may be misspelt, unless `create` is true: look for it first, and create only what the user agreed to create, never by yourself.';

/** What a tool that changes facts is called, and what it says of itself. */
const changeTexts: Readonly<Record<GivenChange['does'], readonly [title: string, description: string]>> = {
  add: [
    'Add facts',
    'Adds recorded facts to the knowledge graph; every query sees them at once. Add only what the user asked for or confirmed, with its source, and never a prediction of the model as a fact.',
  ],
  remove: [
    'Remove facts',
    'Removes recorded facts, or takes rejections of links back, at once and for everybody. Remove only what the user asked to remove.',
  ],
  reject: [
    'Reject links',
    'Says that links are no facts: no answer has a rejected link again, whatever the model predicts; a recorded fact goes. Reject only what the user called wrong. remove_facts takes a rejection back.',
  ],
};

/** How a line of a change begins. */
const marks: Readonly<Record<GivenChange['does'], string>> = { add: '+', remove: '-', reject: '!' };

/** The tools of callers who may write. */
export function factsTools(access: FactsAccess): readonly OfferTool[] {
  const change = (does: 'remove' | 'reject'): OfferTool =>
    defineTool({
      ...shownAs(does),
      description: `${changeTexts[does][1]} ${names}`,
      input,
      help: { facts: factsHelp },
      output: written,
      run: (_, given, limits) => writeFacts(access, does, given, limits),
    });
  const add = defineTool({
    ...shownAs('add'),
    description: `${changeTexts.add[1]} ${names} ${newNames}`,
    input: { ...input, create: schema.withDefault(schema.boolean, false) },
    help: {
      facts: factsHelp,
      create:
        'Whether names that the graph lacks become entities and relations: only with the agreement of the user to each new name. Default false.',
    },
    output: written,
    run: (_, given, limits) => writeFacts(access, 'add', given, limits),
  });
  return [add, change('remove'), change('reject'), factsLog(access)];
}

function shownAs(
  does: GivenChange['does'],
): Pick<Tool<typeof input, WrittenByTool>, 'name' | 'title' | 'changes'> {
  return { name: `${does}_facts`, title: changeTexts[does][0], changes: { isDestructive: does !== 'add' } };
}

async function writeFacts(
  access: FactsAccess,
  does: GivenChange['does'],
  { facts, create }: schema.ObjectOf<typeof input> & { readonly create?: boolean },
  { time, ...costs }: CallLimits,
): Promise<ToolResult<WrittenByTool>> {
  const changes = facts.map(({ head, relation, tail, ...provenance }, i) => ({
    does,
    head: unquoted(head),
    relation: unquoted(relation),
    tail: unquoted(tail),
    ...provenance,
    place: `$.facts[${i}]`,
  }));
  const by = typeof time.caller === 'string' ? time.caller : undefined;
  const reading = { ...time, ...costs };
  const { repeated: _, ...counts } = await access.write(changes, { by, reading, create });
  const { epoch, added, removed, rejected = 0, unchanged, created = 0 } = counts;
  const gone = `${removed} removed${rejected === 0 ? '' : `, ${rejected} rejected`}`;
  const names = created === 0 ? '' : ` ${created} new names were created.`;
  return {
    structured: counts,
    text: `Epoch ${epoch}: ${added} added, ${gone}, ${unchanged} as they were.${names}`,
  };
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

/** A name without the quotes with which a query writes it. */
function unquoted(name: string): string {
  const [, quoted, inverse = ''] = /^("(?:[^"\\]|\\.)*")(\^-1)?$/s.exec(name) ?? [];
  if (quoted === undefined) return name;
  try {
    return `${JSON.parse(quoted)}${inverse}`;
  } catch {
    return name;
  }
}
