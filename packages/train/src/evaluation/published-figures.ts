import { type StructureName, structureNames } from '@fuzzqe/core/query';

/** Figures as a paper prints them. */
export interface PublishedFigures {
  readonly name: string;
  /** Where they stand, and on which queries they were measured. */
  readonly source: string;
  /** Filtered MRR of the official test queries, as a fraction. */
  readonly mrr: Readonly<Record<StructureName, number>>;
  /** The means as printed: those of the printed figures may differ in the last digit. */
  readonly withoutNegation: number;
  readonly withNegation: number;
}

/**
 * The FuzzQE paper's own rows for its two graphs: trained on all ten structures, and on 1p alone.
 *
 * They are figures on the official BetaE test queries. Queries that were sampled afresh differ in which they are and in
 * how hard they are, so figures on them are near to these and not comparable to the decimal.
 * Source: Chen, Hu and Sun, "Fuzzy Logic Based Logical Query Answering on Knowledge Graphs" (AAAI 2022), table of MRR
 * results on answering FOL queries, and table of models trained with only link prediction.
 */
export const publishedFigures: Readonly<Record<'fb15k-237' | 'nell995', readonly PublishedFigures[]>> = {
  'fb15k-237': [
    ofAllStructures('42.2 13.3 10.2 33.0 47.3 26.2 18.9 15.6 10.8 9.7 12.6 7.8 5.8 6.6', [24.2, 8.5]),
    ofLinkPrediction('44.0 10.8 8.6 32.3 41.4 22.7 15.1 13.5 8.7 7.7 9.5 7.0 4.1 4.7', [21.8, 6.6]),
  ],
  nell995: [
    ofAllStructures('58.1 19.3 15.7 39.8 50.3 28.1 21.8 17.3 13.7 8.3 10.2 11.5 4.6 5.4', [29.3, 8.0]),
    ofLinkPrediction('57.6 17.2 13.3 38.2 41.5 27.0 19.4 16.9 12.7 9.1 8.3 8.9 4.4 5.6', [27.1, 7.3]),
  ],
};

function ofAllStructures(percentages: string, means: readonly [number, number]): PublishedFigures {
  return row(
    'paper',
    'FuzzQE (AAAI 2022), trained on all structures, official test queries',
    percentages,
    means,
  );
}

function ofLinkPrediction(percentages: string, means: readonly [number, number]): PublishedFigures {
  return row(
    'paper, 1p',
    'FuzzQE (AAAI 2022), trained on 1p alone, official test queries',
    percentages,
    means,
  );
}

function row(
  name: string,
  source: string,
  percentages: string,
  [withoutNegation, withNegation]: readonly [number, number],
): PublishedFigures {
  const values = percentages.split(' ').map((text) => Number(text) / 100);
  return {
    name,
    source,
    mrr: Object.fromEntries(structureNames.map((structure, i) => [structure, values[i]])) as Record<
      StructureName,
      number
    >,
    withoutNegation: withoutNegation / 100,
    withNegation: withNegation / 100,
  };
}
