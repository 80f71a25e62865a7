import { type StructureName, structureNames } from '@fuzzqe/core/query';
import type { AverageName } from '@fuzzqe/core/ranking';
import { plusHMethods, plusHRows } from './plus-h.ts';

/** The graphs of which papers print figures. */
export const publishedGraphs = ['fb15k-237', 'nell995'] as const;
export type PublishedGraph = (typeof publishedGraphs)[number];

/** The query sets on whose test queries papers print them: those of BetaE, without negation those of Query2Box, and the harder +H. */
export const publishedQuerySets = ['betae', 'q2b', 'plus-h'] as const;
export type PublishedQuerySet = (typeof publishedQuerySets)[number];

/** What is printed: MRR on the queries of BetaE and +H, H@3 on those of Query2Box. */
export const publishedMetric = { betae: 'mrr', q2b: 'hits3', 'plus-h': 'mrr' } as const;

type PrintedAverage = Extract<AverageName, 'withoutNegation' | 'withNegation'>;

/** One row of a table as a paper prints it, on the official test queries, as fractions. */
export interface PublishedFigures {
  readonly graph: PublishedGraph;
  readonly queries: PublishedQuerySet;
  readonly method: string;
  readonly metric: (typeof publishedMetric)[PublishedQuerySet];
  /** Which paper, which table, and what of it was not read there. */
  readonly source: string;
  readonly structures: Readonly<Partial<Record<StructureName, number>>>;
  /** Of structures beyond the 14: 4p and 4i of +H. */
  readonly own?: Readonly<Record<string, number>>;
  /** The means as printed: those of the printed figures may differ in the last digit. */
  readonly averages: Readonly<Partial<Record<PrintedAverage, number>>>;
}

/**
 * The rows of papers that have all that is asked for, FuzzQE's first.
 *
 * They are figures on official test queries, filtered, of the answers that need a held-out fact. Figures on other queries
 * may be near to them, and are not comparable.
 *
 * @example
 * const rows = publishedFigures({ graph: 'fb15k-237', queries: 'betae' });
 */
export function publishedFigures(
  wanted: Partial<Pick<PublishedFigures, 'graph' | 'queries' | 'method'>>,
): readonly PublishedFigures[] {
  const { graph, queries, method } = wanted;
  return rows.filter(
    (each) =>
      (graph === undefined || each.graph === graph) &&
      (queries === undefined || each.queries === queries) &&
      (method === undefined || each.method === method),
  );
}

/**
 * Which of these graphs a data set is, by its numbers of entities, relations (inverses included) and training facts: names
 * and the order of ids differ between copies.
 */
export function publishedGraphOf(dataset: {
  readonly entityCount: number;
  readonly relationCount: number;
  readonly facts: number;
}): PublishedGraph | undefined {
  return publishedGraphs.find((graph) => {
    const [entityCount, relationCount, facts] = sizes[graph];
    return (
      dataset.entityCount === entityCount &&
      dataset.relationCount === relationCount &&
      dataset.facts === facts
    );
  });
}

const sizes: Readonly<Record<PublishedGraph, readonly [entities: number, relations: number, facts: number]>> =
  {
    'fb15k-237': [14_505, 474, 272_115],
    nell995: [63_361, 400, 114_213],
  };

const inFuzzQe = 'as printed in FuzzQE (AAAI 2022), table of MRR results on FOL queries';
const onLinks =
  'as printed in FuzzQE (AAAI 2022), table of models trained with only link prediction; trained on 1p alone';
const sources = {
  FuzzQE: 'FuzzQE (AAAI 2022), table of MRR results on FOL queries; trained on all structures',
  'FuzzQE, 1p': 'FuzzQE (AAAI 2022), table of models trained with only link prediction; trained on 1p alone',
  'GQE, 1p': `GQE (NeurIPS 2018), ${onLinks}`,
  'Query2Box, 1p': `Query2Box (ICLR 2020), ${onLinks}`,
  'BetaE, 1p': `BetaE (NeurIPS 2020), ${onLinks}`,
  GQE: `GQE (NeurIPS 2018), ${inFuzzQe}`,
  Query2Box: `Query2Box (ICLR 2020), ${inFuzzQe}`,
  BetaE: `BetaE (NeurIPS 2020), ${inFuzzQe}`,
  'CQD-beam': `CQD (ICLR 2021), ${inFuzzQe}`,
  'CQD-CO':
    'CQD (ICLR 2021), as in table 1 of GNN-QE (ICML 2022); its figures were not compared with the printed table',
  'GNN-QE':
    'GNN-QE (ICML 2022), table 1, those without negation by Papers with Code; those with negation were not compared with the printed table',
  QTO: 'QTO (ICML 2023), table 1, those of FB15k-237 without negation by Papers with Code; the others were not compared with the printed table',
} as const;
const unread =
  'the mean of its figures is the printed one; the figures were not compared with the printed table';
const sourcesOfQ2b = {
  GQE: `GQE (NeurIPS 2018), as in table 3 of Query2Box (ICLR 2020); ${unread}`,
  Query2Box: `Query2Box (ICLR 2020), table 3; ${unread}`,
  'CQD-CO': `CQD (ICLR 2021), table 1; ${unread}`,
  'CQD-beam': `CQD (ICLR 2021), table 1; ${unread}`,
} as const;

const positive: readonly StructureName[] = ['1p', '2p', '3p', '2i', '3i', 'pi', 'ip', '2u', 'up'];
const negative: readonly StructureName[] = ['2in', '3in', 'inp', 'pin', 'pni'];

// Without negation 1p 2p 3p 2i 3i pi ip 2u up and their mean, then 2in 3in inp pin pni and theirs; in percent.
// biome-ignore format: a row of a table stays a line
const rows: readonly PublishedFigures[] = [
  betae('fb15k-237', 'FuzzQE', [42.2, 13.3, 10.2, 33.0, 47.3, 26.2, 18.9, 15.6, 10.8], 24.2, [9.7, 12.6, 7.8, 5.8, 6.6], 8.5),
  betae('fb15k-237', 'FuzzQE, 1p', [44.0, 10.8, 8.6, 32.3, 41.4, 22.7, 15.1, 13.5, 8.7], 21.8, [7.7, 9.5, 7.0, 4.1, 4.7], 6.6),
  betae('fb15k-237', 'GQE', [35.0, 7.2, 5.3, 23.3, 34.6, 16.5, 10.7, 8.2, 5.7], 16.3),
  betae('fb15k-237', 'Query2Box', [40.6, 9.4, 6.8, 29.5, 42.3, 21.2, 12.6, 11.3, 7.6], 20.1),
  betae('fb15k-237', 'BetaE', [39.0, 10.9, 10.0, 28.8, 42.5, 22.4, 12.6, 12.4, 9.7], 20.9, [5.1, 7.9, 7.4, 3.5, 3.4], 5.5),
  betae('fb15k-237', 'GQE, 1p', [41.6, 7.9, 5.4, 25.0, 33.6, 16.3, 10.9, 11.9, 6.2], 17.7),
  betae('fb15k-237', 'Query2Box, 1p', [42.6, 6.9, 4.7, 27.3, 36.8, 17.5, 11.1, 11.7, 5.5], 18.2),
  betae('fb15k-237', 'BetaE, 1p', [37.7, 5.6, 4.4, 23.3, 34.5, 15.1, 7.8, 9.5, 4.5], 15.8, [0.1, 1.1, 0.8, 0.1, 0.2], 0.5),
  betae('fb15k-237', 'CQD-CO', [46.7, 9.5, 6.3, 31.2, 40.6, 23.6, 16.0, 14.5, 8.2], 21.8),
  betae('fb15k-237', 'CQD-beam', [46.3, 9.9, 5.9, 31.7, 41.3, 21.8, 15.8, 14.2, 8.6], 21.7),
  betae('fb15k-237', 'GNN-QE', [42.8, 14.7, 11.8, 38.3, 54.1, 31.1, 18.9, 16.2, 13.4], 26.8, [10.0, 16.8, 9.3, 7.2, 7.8], 10.2),
  betae('fb15k-237', 'QTO', [49.0, 21.4, 21.2, 43.1, 56.8, 38.1, 28.0, 22.7, 21.4], 33.5, [16.8, 26.7, 15.1, 13.6, 5.4], 15.5),
  betae('nell995', 'FuzzQE', [58.1, 19.3, 15.7, 39.8, 50.3, 28.1, 21.8, 17.3, 13.7], 29.3, [8.3, 10.2, 11.5, 4.6, 5.4], 8.0),
  betae('nell995', 'FuzzQE, 1p', [57.6, 17.2, 13.3, 38.2, 41.5, 27.0, 19.4, 16.9, 12.7], 27.1, [9.1, 8.3, 8.9, 4.4, 5.6], 7.3),
  betae('nell995', 'GQE', [32.8, 11.9, 9.6, 27.5, 35.2, 18.4, 14.4, 8.5, 8.8], 18.6),
  betae('nell995', 'Query2Box', [42.2, 14.0, 11.2, 33.3, 44.5, 22.4, 16.8, 11.3, 10.3], 22.9),
  betae('nell995', 'BetaE', [53.0, 13.0, 11.4, 37.6, 47.5, 24.1, 14.3, 12.2, 8.5], 24.6, [5.1, 7.8, 10.0, 3.1, 3.5], 5.9),
  betae('nell995', 'GQE, 1p', [47.2, 12.7, 9.3, 30.6, 37.0, 20.6, 16.1, 12.6, 9.6], 21.7),
  betae('nell995', 'Query2Box, 1p', [47.6, 12.5, 8.7, 30.7, 36.5, 20.5, 16.0, 12.7, 9.6], 21.6),
  betae('nell995', 'BetaE, 1p', [53.1, 6.0, 3.9, 32.0, 37.7, 15.8, 8.5, 10.1, 3.5], 19.0, [0.1, 1.4, 0.1, 0.1, 0.1], 0.4),
  betae('nell995', 'CQD-CO', [60.4, 17.8, 12.7, 39.3, 46.6, 30.1, 22.0, 17.3, 13.2], 28.8),
  betae('nell995', 'CQD-beam', [60.0, 16.5, 10.4, 40.4, 49.6, 27.6, 20.8, 16.8, 12.6], 28.4),
  betae('nell995', 'GNN-QE', [53.3, 18.9, 14.9, 42.4, 52.5, 30.8, 18.9, 15.9, 12.6], 28.9, [9.9, 14.6, 11.4, 6.3, 6.3], 9.7),
  betae('nell995', 'QTO', [60.7, 24.1, 21.6, 42.5, 50.6, 31.3, 26.5, 20.4, 17.9], 32.9, [13.8, 17.9, 16.9, 9.9, 5.9], 12.9),
  q2b('fb15k-237', 'GQE', [40.2, 21.3, 15.5, 29.2, 40.6, 17.0, 8.3, 16.9, 16.3], 22.8),
  q2b('fb15k-237', 'Query2Box', [46.7, 24.0, 18.6, 32.4, 45.3, 20.5, 10.8, 23.9, 19.3], 26.8),
  q2b('fb15k-237', 'CQD-CO', [51.2, 21.3, 13.1, 35.2, 45.7, 22.2, 14.6, 28.1, 13.2], 27.2),
  q2b('fb15k-237', 'CQD-beam', [51.2, 28.8, 22.1, 35.2, 45.7, 24.9, 12.9, 28.4, 12.1], 29.0),
  q2b('nell995', 'Query2Box', [55.5, 26.6, 23.3, 34.3, 48.0, 21.2, 13.2, 36.9, 16.3], 30.6),
  q2b('nell995', 'CQD-CO', [66.7, 26.5, 22.0, 41.0, 52.9, 30.2, 19.6, 53.1, 19.4], 36.8),
  q2b('nell995', 'CQD-beam', [66.7, 35.0, 28.8, 41.0, 52.9, 27.7, 17.1, 53.1, 15.6], 37.5),
  ...plusHRows.map(([graph, method, figures]): PublishedFigures => {
    const entries = Object.entries(figures);
    const isOwn = ([name]: readonly [string, number]): boolean => !structureNames.some((each) => each === name);
    const source = `${method} (${plusHMethods[method]}), table of +H in the repository of Is Complex Query Answering Really Complex? (ICML 2025), as dice-embeddings quotes it; its figures were not compared with the printed table`;
    const structures = Object.fromEntries(entries.filter((each) => !isOwn(each)));
    const own = fractions(Object.fromEntries(entries.filter(isOwn)));
    return { ...published(graph, 'plus-h', method, source, structures, {}), own };
  }),
];

function betae(
  graph: PublishedGraph,
  method: keyof typeof sources,
  without: readonly number[],
  withoutNegation: number,
  withIt: readonly number[] = [],
  withNegation?: number,
): PublishedFigures {
  const figures = { ...named(positive, without), ...named(negative, withIt) };
  const averages = withNegation === undefined ? { withoutNegation } : { withoutNegation, withNegation };
  return published(graph, 'betae', method, sources[method], figures, averages);
}

function q2b(
  graph: PublishedGraph,
  method: keyof typeof sourcesOfQ2b,
  without: readonly number[],
  withoutNegation: number,
): PublishedFigures {
  const figures = named(positive, without);
  return published(graph, 'q2b', method, sourcesOfQ2b[method], figures, { withoutNegation });
}

function published(
  graph: PublishedGraph,
  queries: PublishedQuerySet,
  method: string,
  source: string,
  structures: Readonly<Record<string, number>>,
  averages: Readonly<Record<string, number>>,
): PublishedFigures {
  const metric = publishedMetric[queries];
  return {
    graph,
    queries,
    method,
    metric,
    source,
    structures: fractions(structures),
    averages: fractions(averages),
  };
}

function named(names: readonly string[], values: readonly number[]): Record<string, number> {
  return Object.fromEntries(values.map((value, i) => [names[i]!, value]));
}

function fractions(percentages: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(percentages).map(([name, value]) => [name, value / 100]));
}
