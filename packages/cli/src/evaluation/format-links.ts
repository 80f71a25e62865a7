import type { RelationEntry, Vocabulary } from '@fuzzqe/core';
import type { ComparedModel } from '@fuzzqe/pipeline';
import { halfTitles } from './format-strata.ts';
import { formatTable, percent, type TableForm } from './table.ts';

/** How many relations are shown; JSON has all of them. */
const shown = 30;

function nameOf({ label, inverse }: RelationEntry): string {
  return inverse ? `${label}^-1` : label;
}

/**
 * Two tables of the 1p queries: MRR of each model by relation, with the number of answers, the worst of the last model first; and by
 * which half of the missing fact the known facts have, with the share of the answers.
 */
export function formatLinks(
  columns: readonly ComparedModel[],
  vocabulary: Pick<Vocabulary, 'relation'>,
  form: TableForm,
  width: number = Number.POSITIVE_INFINITY,
): string {
  const measured = columns.flatMap(({ name, links }) => (links === undefined ? [] : [{ name, links }]));
  const last = measured.at(-1)?.links;
  if (last === undefined) return 'There are no 1p queries to tell by their relation.';
  const groups = (title: string) => [
    { title, columns: 1 },
    ...measured.map(({ name }) => ({ title: name, columns: 1 })),
  ];
  const head = ['', ...measured.map(() => 'MRR')];
  const ofRelation = last.relations
    .slice(0, shown)
    .map(({ relation, answers }) => [
      nameOf(vocabulary.relation(relation)),
      `${answers}`,
      ...measured.map(({ links }) =>
        percent(links.relations.find((each) => each.relation === relation)?.mrr),
      ),
    ]);
  const ofHalf = last.halves.map(({ known, share }) => [
    halfTitles[known],
    percent(share),
    ...measured.map(({ links }) => percent(links.halves.find((each) => each.known === known)?.mrr)),
  ]);
  const rest = last.relations.length - ofRelation.length;
  return [
    'Links (1p) by relation, the worst first',
    formatTable({ groups: groups('answers'), head, blocks: [ofRelation] }, form, width),
    ...(rest > 0 ? [`${rest} relations with a higher MRR are not shown: --json has all.`] : []),
    'Links (1p) by what the known facts have of them',
    formatTable({ groups: groups('share'), head, blocks: [ofHalf] }, form, width),
  ].join('\n\n');
}
