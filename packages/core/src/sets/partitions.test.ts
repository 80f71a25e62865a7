import { expect, it } from 'vitest';
import { createKnowledgeGraph } from '../kg/knowledge-graph.ts';
import { createRandom } from '../random.ts';
import { measurePartitions, partitionSample } from './partitions.ts';

const entityCount = 4000;
const random = createRandom('partition sample');
const logits = Float64Array.from({ length: entityCount }, () => random.normal());
// Half of all entities are recorded for head 0, one in a hundred for head 1: those with the highest logits.
const order = Array.from(logits.keys()).sort((a, b) => logits[b]! - logits[a]!);
const tails = [order.slice(0, entityCount / 2), order.slice(0, entityCount / 100)];
const facts = createKnowledgeGraph({
  entityCount,
  relationCount: 2,
  triples: Int32Array.from(tails.flatMap((ids, head) => ids.flatMap((tail) => [head, 0, tail]))),
});
const heads = Int32Array.of(0, 1);

function termsOf(most?: number): Float32Array {
  const sample = partitionSample(facts, most);
  const { length } = sample.ids;
  const recorded = sample.recorded(heads, 0);
  const terms = Array.from(heads, (_, row) =>
    Math.log(
      sample.ids.reduce(
        (sum, id, i) => sum + (recorded[row * length + i] === 1 ? 0 : Math.exp(logits[id]!)),
        0,
      ),
    ),
  );
  return sample.estimate(terms, heads, 0);
}

it('the sums over a sample of the entities are near those over all, without what is recorded', () => {
  const exact = tails.map((recorded) => {
    const known = new Set(recorded);
    return Math.log(logits.reduce((sum, logit, id) => sum + (known.has(id) ? 0 : Math.exp(logit)), 0));
  });
  termsOf().forEach((term, i) => {
    expect(term).toBeCloseTo(exact[i]!, 5);
  });
  const sampled = termsOf(1000);
  sampled.forEach((term, i) => {
    expect(Math.abs(term - exact[i]!)).toBeLessThan(0.1);
    expect(term).not.toBeCloseTo(exact[i]!, 5);
  });
  expect(termsOf(1000)).toEqual(sampled);
});

it('log-partitions are means over heads that leave something unrecorded', async () => {
  const full = createKnowledgeGraph({
    entityCount: 3,
    relationCount: 2,
    triples: Int32Array.of(0, 0, 0, 0, 0, 1, 0, 0, 2, 1, 0, 2),
  });
  const asked: number[][] = [];
  const partitions = await measurePartitions(full, async (ids, relation) => {
    asked.push([relation, ...ids]);
    return Array.from(ids, (id) => id + relation);
  });
  expect(asked).toEqual([
    [0, 1],
    [1, 0, 1, 2],
  ]);
  expect(Array.from(partitions)).toEqual([1, 2]);
});
