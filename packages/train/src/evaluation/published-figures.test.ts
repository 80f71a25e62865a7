import { averages } from '@fuzzqe/core/ranking';
import { describe, expect, it } from 'vitest';
import {
  type PublishedFigures,
  publishedFigures,
  publishedGraphOf,
  publishedGraphs,
} from './published-figures.ts';

describe('published figures', () => {
  it('are found by graph, query set and method', () => {
    const of = (wanted: Parameters<typeof publishedFigures>[0]): PublishedFigures => {
      const found = publishedFigures(wanted);
      expect(found).toHaveLength(1);
      return found[0]!;
    };
    const fuzzqe = of({ graph: 'fb15k-237', queries: 'betae', method: 'FuzzQE' });
    expect(fuzzqe.structures['2p']).toBeCloseTo(0.133, 12);
    expect(fuzzqe).toMatchObject({
      metric: 'mrr',
      averages: { withoutNegation: 0.242, withNegation: 0.085 },
    });
    const only1p = of({ graph: 'nell995', queries: 'betae', method: 'FuzzQE, 1p' });
    expect(only1p.structures['1p']).toBeCloseTo(0.576, 12);
    const beam = of({ graph: 'fb15k-237', queries: 'q2b', method: 'CQD-beam' });
    expect(beam).toMatchObject({ metric: 'hits3', averages: { withoutNegation: 0.29 } });
    expect(beam.averages.withNegation).toBeUndefined();
  });

  it.each(publishedGraphs)('of %s have every method, with FuzzQE first', (graph) => {
    const methods = publishedFigures({ graph, queries: 'betae' }).map(({ method }) => method);
    expect(methods.slice(0, 2)).toEqual(['FuzzQE', 'FuzzQE, 1p']);
    const [ofAll, ofLinks] = [methods.slice(2, 5), methods.slice(5, 8)];
    expect(ofAll).toEqual(['GQE', 'Query2Box', 'BetaE']);
    expect(ofLinks).toEqual(ofAll.map((method) => `${method}, 1p`));
    expect(methods.slice(8)).toEqual(['CQD-CO', 'CQD-beam', 'GNN-QE', 'QTO']);
    expect(publishedFigures({ graph, queries: 'q2b' }).map(({ method }) => method)).toContain('CQD-beam');
  });

  it.each(publishedFigures({}))(
    'of $graph on $queries, $method has the means that are printed, to rounding',
    ({ structures, averages: printed, queries }) => {
      const expectMean = (name: 'withoutNegation' | 'withNegation'): void => {
        const figures = averages[name].structures.map((each) => structures[each]!);
        const mean = figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
        expect(Math.abs(mean - printed[name]!)).toBeLessThan(0.001);
      };
      expectMean('withoutNegation');
      const negated = averages.withNegation.structures.filter((each) => structures[each] !== undefined);
      expect(negated).toHaveLength(printed.withNegation === undefined ? 0 : 5);
      if (printed.withNegation !== undefined) expectMean('withNegation');
      if (queries === 'q2b') expect(negated).toEqual([]);
    },
  );

  it('say which paper and which table, and what was not read there', () => {
    for (const { method, queries, source } of publishedFigures({})) {
      expect(source, method).toMatch(/\(\w+ \d{4}\).*table/);
      if (queries === 'q2b' || ['CQD-CO', 'GNN-QE', 'QTO'].includes(method))
        expect(source, method).toContain('not compared with the printed table');
    }
  });
});

it('a graph is known by its size, whatever it is called', () => {
  const fb = { entityCount: 14_505, relationCount: 474, facts: 272_115 };
  expect(publishedGraphOf(fb)).toBe('fb15k-237');
  expect(publishedGraphOf({ ...fb, facts: 272_114 })).toBeUndefined();
});
