import type { FactsAccess } from '@fuzzqe/api';
import { FuzzError, schema } from '@fuzzqe/core';
import { oneLine } from '../names/name-text.ts';
import {
  changesOf,
  countsOf,
  countsText,
  factNames,
  factsHelp,
  givenFacts,
  mostFacts,
  unquoted,
  writerOf,
  written,
} from './given-facts.ts';
import { shortDegree } from './given-query.ts';
import { defineTool, type OfferTool } from './tool.ts';

const conflict = schema.object({
  head: schema.string,
  relation: schema.string,
  tail: schema.string,
  kind: schema.string,
  message: schema.string,
});

/** Accepts and rejects links, unless something speaks against them. */
export function judgeLinks(access: FactsAccess): OfferTool {
  return defineTool({
    name: 'judge_links',
    title: 'Judge links',
    description: `Accepts links as recorded facts, and rejects links that are no facts: no answer has a rejected link again, whatever the model predicts. Each judgement is kept with what the model said of the link. Judge only as the user said. Where facts conflict with what is known, nothing is written: show the conflicts to the user, and pass conflicts "accept" only if the user says so. remove_facts takes a judgement back. ${factNames}`,
    changes: { isDestructive: true },
    input: {
      accept: schema.optional(givenFacts),
      reject: schema.optional(givenFacts),
      conflicts: schema.withDefault(schema.oneOf(['refuse', 'accept']), 'refuse'),
    },
    help: {
      accept: `Links that are facts. ${factsHelp}`,
      reject: 'Links that are no facts, in the same form.',
      conflicts:
        '`accept` only where the user saw the conflicts and wants the facts anyway. Default `refuse`.',
    },
    output: schema.object({
      written: schema.optional(written),
      conflicts: schema.array(conflict),
    }),
    async run(_, { accept = [], reject = [], conflicts }, limits) {
      const count = accept.length + reject.length;
      if (count === 0 || count > mostFacts)
        throw new FuzzError('usage', `judge_links: expected 1 to ${mostFacts} links, got ${count}`, {
          path: '$.accept',
          hint: 'Put links into accept or reject.',
        });
      const judgements = [...changesOf('add', accept, 'accept'), ...changesOf('reject', reject, 'reject')];
      const judged = await access.judge(judgements, conflicts, writerOf(limits));
      const found = [...judged.conflicts];
      const lines = found.map(
        ({ head, relation, tail, message }) =>
          `- ${[head, relation, tail].map((name) => oneLine(name, 120)).join(' | ')}: ${oneLine(message)}`,
      );
      if (judged.written === undefined)
        return {
          structured: { conflicts: found },
          text: `Nothing is written, as facts conflict with what is known. Ask the user:\n${lines.join('\n')}`,
        };
      const counts = countsOf(judged.written);
      const inSpite = lines.length === 0 ? '' : `\nWritten in spite of:\n${lines.join('\n')}`;
      return {
        structured: { written: counts, conflicts: found },
        text: `${countsText(counts)}${inSpite}`,
      };
    },
  });
}

const proposed = schema.object({
  head: schema.string,
  relation: schema.string,
  tail: schema.string,
  labels: schema.array(schema.string),
  degree: schema.number({ min: 0, max: 1 }),
  teaches: schema.number({ min: 0, max: 1 }),
  conflicts: schema.array(schema.string),
});

/** Proposes the links whose judgement teaches most. */
export function linksToJudge(access: FactsAccess): OfferTool {
  return defineTool({
    name: 'links_to_judge',
    title: 'Find links to judge',
    description:
      'Proposes links that are not recorded and whose judgement by a person would teach most: the model is unsure, and few links of the relation were judged. Ask the user about each link, then call judge_links. Never judge them yourself.',
    input: {
      entity: schema.optional(schema.string),
      relation: schema.optional(schema.string),
      limit: schema.withDefault(schema.integer({ min: 1, max: 100 }), 10),
    },
    help: {
      entity: 'Links of this entity alone, by a name as queries have it.',
      relation: 'Links of this relation alone.',
      limit: 'The most links. Default 10.',
    },
    output: schema.object({ links: schema.array(proposed) }),
    async run(_, { entity, relation, limit }, { time, ...costs }) {
      const wanted = {
        ...(entity === undefined ? {} : { entity: unquoted(entity) }),
        ...(relation === undefined ? {} : { relation: unquoted(relation) }),
        limit,
      };
      const found = await access.next(wanted, { ...time, ...costs });
      const links = found.map(({ head, relation, tail, degree, teaches, conflicts }) => ({
        ...{ head: head.key, relation: relation.key, tail: tail.key },
        labels: [head.label, relation.label, tail.label],
        ...{ degree, teaches, conflicts: [...conflicts] },
      }));
      const lines = links.map(({ labels, degree, conflicts }) => {
        const against = conflicts.map((message) => `; ${oneLine(message)}`).join('');
        return `- ${labels.map((label) => oneLine(label, 120)).join(' | ')} (${shortDegree(degree)}${against})`;
      });
      return {
        structured: { links },
        text: lines.length === 0 ? 'No link is left to judge.' : lines.join('\n'),
      };
    },
  });
}
