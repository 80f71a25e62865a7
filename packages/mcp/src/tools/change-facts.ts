import type { FactsAccess } from '@fuzzqe/api';
import { schema } from '@fuzzqe/core';
import { factsLog } from './facts-log.ts';
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

const input = { facts: givenFacts };

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
