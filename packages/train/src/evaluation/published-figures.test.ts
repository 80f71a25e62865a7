import { type StructureName, structureNames } from '@fuzzqe/core/query';
import { averages } from '@fuzzqe/core/ranking';
import { describe, expect, it } from 'vitest';
import { publishedFigures, publishedGraphs } from './published-figures.ts';

describe('figures of the paper', () => {
  it('are found by graph, queries, method and structure', () => {
    const of = (graph: (typeof publishedGraphs)[number], method: 'FuzzQE' | 'FuzzQE, 1p') => {
      const found = publishedFigures({ graph, queries: 'official test', method });
      expect(found).toHaveLength(1);
      return found[0]!.mrr;
    };
    expect(of('fb15k-237', 'FuzzQE')['2p']).toBeCloseTo(0.133, 12);
    expect(of('fb15k-237', 'FuzzQE, 1p').pni).toBeCloseTo(0.047, 12);
    expect(of('nell995', 'FuzzQE').inp).toBeCloseTo(0.115, 12);
    expect(of('nell995', 'FuzzQE, 1p')['1p']).toBeCloseTo(0.576, 12);
    for (const graph of publishedGraphs)
      expect(publishedFigures({ graph }).map(({ name }) => name)).toEqual(['paper', 'paper, 1p']);
  });

  it.each(publishedFigures({}))(
    'of $graph, $name have the means that are printed, to rounding',
    (figures) => {
      const meanOf = (names: readonly StructureName[]): number =>
        names.reduce((sum, name) => sum + figures.mrr[name]!, 0) / names.length;
      expect(Object.keys(figures.mrr).sort()).toEqual([...structureNames].sort());
      const { withoutNegation, withNegation } = figures.averages;
      expect(Math.abs(meanOf(averages.withoutNegation.structures) - withoutNegation)).toBeLessThan(0.001);
      expect(Math.abs(meanOf(averages.withNegation.structures) - withNegation)).toBeLessThan(0.001);
    },
  );
});
