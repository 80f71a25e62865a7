import { type PublishedGraph, publishedFigures } from '@fuzzqe/train';
import type { Figures, PublishedRow } from './reproduction.ts';
import type { ReproducedTable } from './table-kinds.ts';

const table2 = 'FuzzQE (AAAI 2022), table of properties of logical operations';
const timesOf = (graph: string): string =>
  `FuzzQE (AAAI 2022), comparison with query optimization; mean of all structures on ${graph}, one TITAN Xp GPU`;

/** The methods of the paper's tables of accuracy, by their names among the published figures. */
const methods: Readonly<Record<'accuracy' | 'links', readonly string[]>> = {
  accuracy: ['FuzzQE', 'GQE', 'Query2Box', 'BetaE', 'CQD-beam'],
  links: ['FuzzQE, 1p', 'GQE, 1p', 'Query2Box, 1p', 'BetaE, 1p'],
};

const all: Figures = { I: 1, II: 1, III: 1, IV: 1, V: 1, VI: 1 };
/** Laws as Table 2 has them: elimination, commutativity and associativity of ∧, then of ∨, then of ¬. */
const laws: readonly (readonly [method: string, figures: Figures])[] = [
  ['FuzzQE', { ...all, VII: 1, VIII: 1 }],
  ['GQE', { ...all, I: 0, III: 0 }],
  ['Query2Box', all],
  ['BetaE, DNF', { ...all, I: 0, III: 0, VII: 1, VIII: 0 }],
  ['BetaE, De Morgan', { ...all, I: 0, III: 0, IV: 0, VII: 1, VIII: 0 }],
];

/** Milliseconds of an answer. */
const times: Readonly<Record<PublishedGraph, readonly (readonly [method: string, mean: number])[]>> = {
  'fb15k-237': [
    ['FuzzQE', 0.3],
    ['CQD-beam', 13.9],
  ],
  nell995: [
    ['FuzzQE', 0.4],
    ['CQD-beam', 68.1],
  ],
};

/** The rows that the paper prints in a table, of a graph if the table has figures of graphs. */
export function publishedRows(
  table: ReproducedTable,
  graph: PublishedGraph | undefined,
): readonly PublishedRow[] {
  if (table === 'laws') return laws.map(([method, figures]) => ({ method, source: table2, figures }));
  if (graph === undefined) return [];
  if (table === 'times')
    return times[graph].map(([method, mean]) => ({ method, source: timesOf(graph), figures: { mean } }));
  return methods[table].flatMap((method) =>
    publishedFigures({ graph, queries: 'betae', method }).map(({ source, structures, averages }) => ({
      method: method.replace(', 1p', ''),
      source,
      figures: { ...structures, ...averages },
    })),
  );
}
