import { createMetrics } from '@fuzzqe/core/ranking';
import { publishedFigures } from '@fuzzqe/train';
import { describe, expect, it } from 'vitest';
import { textWidth } from '../terminal/text-width.ts';
import { comparableSet, formatPublished } from './format-published.ts';

const structures = ['1p', '2p', '3p', '2i', '3i', 'pi', 'ip', '2u', 'up'];

function ours(name: string, rank: number) {
  const metrics = createMetrics();
  for (const structure of structures) metrics.add(structure, [rank]);
  return { name, metrics: metrics.report() };
}

const onQ2b = publishedFigures({ graph: 'fb15k-237', queries: 'q2b' });
const onBetaE = publishedFigures({ graph: 'fb15k-237', queries: 'betae' });

describe('the table of published figures', () => {
  it('stands beside ours on the same query set, by the metric that is printed of it', () => {
    const evaluated = { set: 'q2b', part: 'test' };
    const text = formatPublished({ models: [ours('FuzzQE', 2)], published: onQ2b, evaluated }, 'text');
    expect(text).toMatch(/^Beside published figures, all on the official test queries of q2b\n/);
    expect(text).toMatch(/^% +ours: FuzzQE +GQE +Query2Box +CQD-CO +CQD-beam$/m);
    expect(text).toMatch(/^ +H@3 +H@3 +H@3 +H@3 +H@3$/m);
    // A rank of 2 is an MRR of 50 and an H@3 of 100.
    expect(text).toMatch(/^2p +100\.0 +21\.3 +24\.0 +21\.3 +28\.8$/m);
    expect(text).toMatch(/^without negation +100\.0 +22\.8 +26\.8 +27\.2 +29\.0$/m);
    expect(text).toContain('CQD-beam: CQD (ICLR 2021), table 1');
  });

  it('has several models, as many as there are', () => {
    const models = [ours('embedding', 4), ours('sets', 2)];
    const evaluated = { set: 'betae', part: 'test' };
    const text = formatPublished({ models, published: onBetaE, evaluated }, 'text', 80);
    expect(text).toMatch(/^% +ours: embedding +ours: sets +FuzzQE /m);
    expect(text).toMatch(/^2p +25\.0 +50\.0 +13\.3 /m);
    const table = text.split('\n').slice(2, text.split('\n').indexOf(''));
    expect(Math.max(...table.map(textWidth))).toBeLessThanOrEqual(80);
  });

  it('says that other queries of the same set are others', () => {
    const evaluated = { set: 'q2b', part: 'valid' };
    const text = formatPublished({ models: [ours('FuzzQE', 2)], published: onQ2b, evaluated }, 'text');
    expect(text.split('\n')[0]).toMatch(/ours are on other queries of that set, its valid ones$/);
    expect(text).toContain('ours: FuzzQE');
  });

  it.each([
    ['drawn', 'drawn queries (test)'],
    [undefined, 'queries of a file (test)'],
  ])('stands alone, as of other queries, beside %s ones', (set, described) => {
    const evaluated = { set, part: 'test' };
    const text = formatPublished({ models: [ours('FuzzQE', 2)], published: onBetaE, evaluated }, 'text');
    expect(text.split('\n')[0]).toBe(
      `On other queries: published figures on the official test queries of betae, while the above are on ${described}`,
    );
    expect(text).not.toContain('ours');
    expect(text).toMatch(/^2p +13\.3 +10\.8 +7\.2 /m);
    expect(text).toMatch(/^with negation +8\.5 +6\.6 +– /m);
  });

  it('of +H stand beside ours on balanced queries, as of other queries and with their defects', () => {
    const published = publishedFigures({ graph: 'fb15k-237', queries: 'plus-h' });
    const evaluated = { set: 'balanced', part: 'test' };
    const metrics = createMetrics();
    for (const name of [...structures, '4i']) metrics.add(name, [2]);
    const models = [{ name: 'FuzzQE', metrics: metrics.report() }];
    const text = formatPublished({ models, published, evaluated }, 'text');
    expect(text.split('\n')[0]).toBe(
      'Beside published figures, other queries: theirs are on the official test queries of plus-h, ours on balanced queries (test)',
    );
    expect(text).toMatch(/^% +ours: FuzzQE +CLMPT +CQD +CQD-Hybrid +QTO +GNN-QE +UltraQuery +ConE$/m);
    expect(text).toMatch(/^2p +50\.0 +5\.3 +4\.4 /m);
    expect(text).toMatch(/^4i +50\.0 +24\.0 +23\.8 /m);
    expect(text).toMatch(/^4p +– +4\.5 +1\.1 /m);
    expect(text).toContain('easy answers of 2in and pni are wrong');
    expect(text).toContain('3in, pin and inp are a subset');
    expect(text).toContain('know the training facts');
    const ofBetaE = formatPublished(
      { models, published: onBetaE, evaluated: { set: 'betae', part: 'test' } },
      'text',
    );
    expect(ofBetaE).not.toContain('subset');
  });

  it('is chosen by the query set', () => {
    expect(comparableSet({ set: 'balanced', part: 'test' })).toBe('plus-h');
    expect(comparableSet({ set: 'q2b', part: 'valid' })).toBe('q2b');
    expect(comparableSet({ set: 'mine', part: 'valid' })).toBe('betae');
  });
});
