import { type Efo1Name, efo1Names } from '@fuzzqe/data';
import type { PublishedGraph } from './published-figures.ts';

/** One row of a table of patterns as FIT prints it, on the queries of FIT, as fractions: MRR. */
export interface PublishedPatterns {
  readonly graph: PublishedGraph;
  readonly method: string;
  /** Which paper and table, and what of it was not read there. */
  readonly source: string;
  readonly types: Readonly<Record<Efo1Name, number>>;
  /** The mean as printed. */
  readonly mean: number;
}

/**
 * The rows of FIT's table of queries beyond trees on a graph, the best last.
 *
 * They are figures on the queries of FIT, which nobody draws again: figures on other queries are not comparable.
 *
 * @example
 * const rows = publishedPatterns('fb15k-237');
 */
export function publishedPatterns(graph: PublishedGraph): readonly PublishedPatterns[] {
  return rows.filter((each) => each.graph === graph);
}

const source =
  'FIT (ICLR 2024), table of MRR results on the real EFO1 data set; the mean of its figures is the printed one; the figures were not compared with the printed table';

// In the order of `efo1Names`, then the mean; in percent.
// biome-ignore format: a row of a table stays a line
const rows: readonly PublishedPatterns[] = [
  row('fb15k-237', 'BetaE', [9.0, 25.0, 40.1, 8.6, 6.7, 8.6, 6.8, 12.3, 25.2, 22.9], 16.5),
  row('fb15k-237', 'LogicE', [9.5, 27.1, 42.0, 8.6, 6.7, 9.4, 6.1, 12.8, 25.4, 23.3], 17.1),
  row('fb15k-237', 'ConE', [10.8, 27.6, 43.9, 9.6, 7.0, 9.3, 7.3, 14.0, 28.2, 24.9], 18.3),
  row('fb15k-237', 'QTO', [12.1, 28.9, 47.9, 8.5, 10.7, 11.4, 6.5, 17.9, 38.3, 35.4], 21.8),
  row('fb15k-237', 'CQD', [7.7, 29.6, 46.1, 6.0, 1.7, 6.8, 3.3, 12.3, 25.9, 23.8], 16.3),
  row('fb15k-237', 'LMPNN', [10.7, 28.7, 42.1, 9.4, 4.2, 9.8, 7.2, 15.4, 25.3, 22.2], 17.5),
  row('fb15k-237', 'FIT', [14.9, 34.2, 51.4, 9.9, 12.7, 11.9, 7.7, 19.6, 39.4, 37.3], 23.9),
  row('nell995', 'BetaE', [7.5, 43.3, 64.6, 29.0, 5.3, 8.7, 14.4, 29.5, 36.1, 33.7], 27.2),
  row('nell995', 'LogicE', [9.8, 47.0, 66.6, 34.7, 6.4, 13.3, 17.8, 35.1, 38.9, 37.9], 30.8),
  row('nell995', 'ConE', [10.3, 42.1, 65.8, 32.4, 7.0, 12.6, 16.8, 34.4, 40.2, 38.2], 30.0),
  row('nell995', 'QTO', [12.3, 48.5, 68.2, 38.8, 12.3, 22.8, 19.3, 41.1, 45.4, 43.9], 35.3),
  row('nell995', 'CQD', [7.9, 48.7, 68.0, 31.7, 1.5, 12.9, 13.8, 33.9, 38.8, 35.9], 29.3),
  row('nell995', 'LMPNN', [11.6, 43.9, 62.3, 35.6, 6.2, 15.9, 19.3, 38.3, 39.1, 34.4], 30.7),
  row('nell995', 'FIT', [14.4, 53.3, 69.5, 42.1, 12.5, 24.0, 22.8, 41.5, 47.5, 45.3], 37.3),
];

function row(
  graph: PublishedGraph,
  method: string,
  figures: readonly number[],
  mean: number,
): PublishedPatterns {
  const types = Object.fromEntries(efo1Names.map((name, i) => [name, figures[i]! / 100]));
  return { graph, method, source, types: types as Record<Efo1Name, number>, mean: mean / 100 };
}
