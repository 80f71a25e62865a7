import type { SavedEvaluation } from '@fuzzqe/pipeline';
import { html } from 'hono/html';
import { percent } from '../evaluation/table.ts';
import { figureTable, type Html } from './page-parts.ts';

/** What the known facts have of a missing fact. */
const halves = {
  both: 'head and tail seen with the relation',
  head: 'head alone',
  tail: 'tail alone',
  neither: 'neither',
} as const;

/** The figures of each evaluation: means with the baselines, and of links by relation and by which half is known. */
export function evaluationSection(evaluations: Readonly<Record<string, SavedEvaluation>>): Html {
  const all = Object.entries(evaluations);
  if (all.length === 0) return html``;
  return html`<h2>Evaluation</h2>${all.map(([title, each]) => html`<h3>${title}</h3>${oneEvaluation(each)}`)}`;
}

function oneEvaluation({ averages, baselines, links }: SavedEvaluation): Html {
  const means = Object.keys(averages);
  const rows = [['this model', averages] as const, ...Object.entries(baselines)];
  const table = figureTable(
    ['MRR, %', ...means],
    rows.map(([name, of]) => [name, ...means.map((mean) => percent(of[mean]?.mrr))]),
  );
  if (links === undefined) return table;
  const head = ['answers', 'MRR, %', 'rules alone, %'];
  const byHalf = links.halves.map(({ known, share, answers, mrr, rules }) => [
    ...[halves[known], percent(share), `${answers}`, percent(mrr), percent(rules)],
  ]);
  const byRelation = links.relations.map(({ relation, answers, mrr, rules }) => [
    ...[relation, `${answers}`, percent(mrr), percent(rules)],
  ]);
  const more =
    links.more === 0
      ? ''
      : html`<p class="soft">${links.more} relations with fewer answers are not shown.</p>`;
  return html`${table}<h4>Links (1p) by which half of the missing fact is known</h4>
${figureTable(['known', 'share, %', ...head], byHalf)}
<h4>Links (1p) by relation, most answers first</h4>
${figureTable(['relation', ...head], byRelation)}${more}`;
}
