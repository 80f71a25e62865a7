import { type ImportedBetaE, type ImportedDataset, type LeftOut, queryParts } from '@fuzzqe/data';
import type { Terminal } from '../../terminal/terminal.ts';
import { countsOf, describeDataset } from './describe.ts';

/** The first five. */
const firstOf = (keys: readonly string[]): string =>
  `${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ', …' : ''}`;

/** Says what was imported and what was left out: in lines on the side, or as JSON. */
export function describeImport(
  terminal: Terminal,
  imported: ImportedDataset | ImportedBetaE,
  asJson: boolean,
): void {
  const { dataset, queries, ...counts } = imported;
  const queryCounts = queryParts.map((part) => ({
    part,
    count: (queries[part] ?? []).reduce((sum, { count }) => sum + count, 0),
  }));
  if (asJson) {
    const perPart = Object.fromEntries(queryCounts.map(({ part, count }) => [part, count]));
    terminal.out(
      JSON.stringify({
        ...{ ...countsOf(dataset), origin: dataset.origin, queries: perPart, ...counts },
        // A file may name millions that are not in the graph.
        unusedNames: counts.unusedNames.length,
      }),
    );
    return;
  }
  counts.notes.forEach(terminal.note);
  describeDataset(dataset).forEach(terminal.note);
  if (queryCounts.some(({ count }) => count > 0)) {
    terminal.note(`queries: ${queryCounts.map(({ part, count }) => `${count} ${part}`).join(', ')}`);
  }
  const findings: readonly (readonly [count: number, what: string])[] = [
    [counts.duplicates, 'facts that their file had already stated, counted once'],
    [counts.repeated, 'held-out facts left out because an earlier part states them'],
    [counts.dropped, 'held-out facts left out because they name what no training fact names'],
    [counts.entitiesWithoutFacts, 'entities without a training fact'],
    [
      counts.relationsWithoutFacts.length,
      `relations without a training fact: ${firstOf(counts.relationsWithoutFacts)}`,
    ],
    [
      counts.unusedNames.length,
      `lines of names left out because no training fact has their key: ${firstOf(counts.unusedNames)}`,
    ],
    [
      'otherStructures' in counts ? counts.otherStructures : 0,
      'queries left out because they are of other structures',
    ],
  ];
  if (counts.furtherNames > 0) terminal.note(`${counts.furtherNames} further names and descriptions`);
  findingsOf(counts).forEach(terminal.note);
  for (const [count, what] of findings) if (count > 0) terminal.note(`${count} ${what}`);
  if (2 * counts.blankEntities > dataset.vocabulary.entityCount)
    terminal.note(
      `${counts.blankEntities} of ${dataset.vocabulary.entityCount} entities are blank nodes, which mean nothing outside the file; --contract-blank makes paths through them relations, --skip-blank leaves their triples out`,
    );
  if (dataset.origin?.inverses === 'given')
    terminal.note('facts stood in the files along inverses, too; each counts once');
}

/** What a reading left out, in lines. */
export function findingsOf(counts: LeftOut): string[] {
  const findings: readonly (readonly [count: number, what: string])[] = [
    [counts.literals, 'facts left out because they end in a literal: a number, a date, a text'],
    [counts.badLines, 'lines left out because they could not be read'],
    [counts.blankNodes, 'triples left out because their subject or object is a blank node'],
    [counts.namedGraphs, 'triples in named graphs, whose graphs are the sources of their facts'],
    [counts.comments, 'lines of comments passed over'],
  ];
  return findings.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []));
}
