import { expect, it } from 'vitest';
import { createRandom } from '../random.ts';
import { someGraph } from '../testing/some-graph.ts';
import { changedFacts } from './changed-facts.ts';
import { ratedGraph } from './rated-graph.ts';

const random = createRandom('rated graphs');

it.each([3, 5000])('the graph of %i rated facts is that of changed facts', (count) => {
  const graph = someGraph(random, 100, 4, 2 * count);
  const triples = graph.forwardTriples().slice(0, 3 * count);
  const degrees = Array.from({ length: triples.length / 3 }, (_, i) => (i % 4 === 0 ? 1 : random.uniform()));
  const rated = ratedGraph(graph, triples, degrees);
  const { graph: changed } = changedFacts(graph, { added: triples, confidences: degrees });
  expect(rated.confidences).toEqual(changed.confidences);
  expect(rated.confidences!.degrees.length).toBeGreaterThan(0);
  expect(rated.rows).toBe(graph.rows);
  // Other facts keep their confidences, and a certain fact of a certain graph changes nothing.
  const again = ratedGraph(rated, triples.subarray(0, 3), [0.25]);
  expect(again.confidences!.degrees.length).toBeGreaterThanOrEqual(rated.confidences!.degrees.length);
  expect(again.confidences).not.toEqual(rated.confidences);
  expect(ratedGraph(graph, triples.subarray(0, 3), [1])).toBe(graph);
});
