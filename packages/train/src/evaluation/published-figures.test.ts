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

  it.each(publishedFigures({}).filter(({ queries }) => queries !== 'plus-h'))(
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
      if (queries !== 'betae' || ['CQD-CO', 'GNN-QE', 'QTO'].includes(method))
        expect(source, method).toContain('not compared with the printed table');
    }
  });
});

describe('figures on +H', () => {
  // Of 11 structures without negation, of the 10 without negation and 1p, and of five with negation, as another reader of the tables computed them.
  it.each([
    ['fb15k-237', 'CLMPT', 15.9, 12.9, 3.6],
    ['fb15k-237', 'CQD', 15.5, 12.4, 2.5],
    ['fb15k-237', 'CQD-Hybrid', 14.7, 11.5, 2.4],
    ['fb15k-237', 'QTO', 14.5, 11.3, 4.5],
    ['fb15k-237', 'GNN-QE', 13.6, 10.6, 5.1],
    ['fb15k-237', 'UltraQuery', 12.2, 9.4, 3.9],
    ['fb15k-237', 'ConE', 12.2, 9.2, 4.0],
    ['nell995', 'CLMPT', 24.9, 21.5, 4.0],
    ['nell995', 'CQD', 22.3, 18.5, 2.9],
    ['nell995', 'CQD-Hybrid', 20.9, 17.0, 2.9],
    ['nell995', 'QTO', 22.1, 18.3, 5.3],
    ['nell995', 'GNN-QE', 18.4, 14.9, 5.1],
    ['nell995', 'UltraQuery', 13.6, 11.1, 4.2],
    ['nell995', 'ConE', 20.1, 16.8, 4.7],
  ] as const)('of %s, %s has known means', (graph, method, all, without1p, negated) => {
    const [{ structures, own, averages: printed } = expect.fail(method)] = publishedFigures({
      ...{ graph, queries: 'plus-h', method },
    });
    const mean = (names: readonly string[]): number =>
      names.reduce((sum, name) => sum + { ...structures, ...own }[name as '1p']!, 0) / names.length;
    const positive = [...averages.withoutNegation.structures, '4p', '4i'];
    expect(Math.abs(100 * mean(positive) - all)).toBeLessThan(0.051);
    expect(Math.abs(100 * mean(positive.slice(1)) - without1p)).toBeLessThan(0.051);
    expect(Math.abs(100 * mean(averages.withNegation.structures) - negated)).toBeLessThan(0.051);
    expect(Object.keys(own!)).toEqual(['4p', '4i']);
    expect(printed).toEqual({});
  });
});

it('a graph is known by its size, whatever it is called', () => {
  const fb = { entityCount: 14_505, relationCount: 474, facts: 272_115 };
  expect(publishedGraphOf(fb)).toBe('fb15k-237');
  expect(publishedGraphOf({ ...fb, facts: 272_114 })).toBeUndefined();
});
