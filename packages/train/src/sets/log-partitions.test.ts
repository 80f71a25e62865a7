import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { type ModelConfig, plainModel } from '@fuzzqe/core/model';
import * as ort from '@fuzzqe/ort';
import { expect, it } from 'vitest';
import { openOrtSession } from '../runtimes/ort-session.ts';
import { type LogPartitionOptions, openLogPartitions, threadsOfProduct } from './log-partitions.ts';

// Two pieces of entities, two groups of links, and few enough heads that all of them count.
const [entityCount, heads, d] = [17_000, 14, 8];
const relations = [0, 2, 4];
const model: ModelConfig = {
  ...plainModel,
  entities: entityCount,
  relations: 2 * relations.length,
  dimension: d,
};
const random = createRandom('log-partitions');
const unit = (towards?: Float64Array): Float64Array => {
  const vector = Float64Array.from({ length: d }, (_, i) => 4 * (towards?.[i] ?? 0) + random.normal());
  const length = Math.hypot(...vector);
  return vector.map((x) => x / length);
};
const entities = Array.from({ length: entityCount }, () => unit());
const projections = Array.from({ length: 2 * relations.length }, () => {
  const ofRelation = unit();
  return Array.from({ length: heads }, () => unit(ofRelation));
});
const projectionOf = (head: number, relation: number): Float64Array => projections[relation]![head % heads]!;
const cosines = relations.map((relation) =>
  Array.from({ length: heads }, (_, head) => {
    const link = projectionOf(head, relation);
    return Float64Array.from(entities, (entity) => link.reduce((sum, x, i) => sum + x * entity[i]!, 0));
  }),
);
// Of each link the best entity is recorded, wherever it is, and some at the ends of the pieces.
const triples = relations.flatMap((relation, at) =>
  cosines[at]!.flatMap((scores, head) => {
    const best = scores.indexOf(scores.reduce((a, b) => Math.max(a, b)));
    return [best, 8499, 8500, 16_999].flatMap((tail) => [head, relation, tail]);
  }),
);
const facts = createKnowledgeGraph({
  ...{ entityCount, relationCount: 2 * relations.length },
  triples: Int32Array.from(triples),
});
const directions = Float32Array.from(entities.flatMap((entity) => Array.from(entity)));

/** Options for this graph, and how often links are projected. */
function optionsWith(options: Partial<LogPartitionOptions>) {
  const asked = { count: 0 };
  const all: LogPartitionOptions = {
    ...{ model, facts, directions, manyEntities: entityCount - 1 },
    async projected(some, along, rows) {
      asked.count += 1;
      const vectors = new Float32Array(rows * d);
      // Of length 3: lengths are divided out.
      some.forEach((head, row) => {
        vectors.set(
          projectionOf(head, along[row]!).map((x) => 3 * x),
          row * d,
        );
      });
      return new ort.Tensor('float32', vectors, [rows, d]);
    },
    open: (program) => openOrtSession(program, { executionProviders: ['cpu'], intraOpNumThreads: 1 }),
    ...options,
  };
  return { all, asked };
}

/** z_r of the even relations in plain loops; `counts` says which entities count, and how often. */
const plainly = (
  temperature: number,
  counts = (head: number, relation: number, id: number): number => (facts.has(head, relation, id) ? 0 : 1),
): number[] =>
  relations.map((relation, at) => {
    const sums = cosines[at]!.map((scores, head) =>
      scores.reduce((sum, x, id) => sum + counts(head, relation, id) * Math.exp(temperature * x), 0),
    );
    return sums.reduce((total, sum) => total + Math.log(sum) / heads, 0);
  });

it('log-partitions of many entities are the sums over all of them that are not recorded', async () => {
  const many = await openLogPartitions(optionsWith({}).all);
  const few = await openLogPartitions(optionsWith({ manyEntities: entityCount }).all);
  for (const temperature of [12, 150]) {
    const expected = plainly(temperature);
    const counted = await many.at(temperature);
    const summed = await few.at(temperature);
    relations.forEach((relation, at) => {
      expect(Math.abs(counted[relation]! - expected[at]!)).toBeLessThan(1.8e-5 * temperature);
      expect(Math.abs(summed[relation]! - expected[at]!)).toBeLessThan(1e-4);
    });
  }
  await many.close();
  await few.close();
  // What recorded entities add, and an estimate from every tenth entity, are far more than that.
  const [exact, withRecorded] = [plainly(150), plainly(150, () => 1)];
  const sampled = plainly(150, (head, relation, id) =>
    id % 10 === 0 && !facts.has(head, relation, id) ? 10 : 0,
  );
  relations.forEach((_, at) => {
    expect(withRecorded[at]! - exact[at]!).toBeGreaterThan(0.1);
    expect(Math.abs(sampled[at]! - exact[at]!)).toBeGreaterThan(0.1);
  });
});

it('one pass is enough for the temperatures that are named', async () => {
  const seen: number[] = [];
  const { all, asked } = optionsWith({
    temperatures: [20, 100],
    onLinks: (done, total) => {
      seen.push(done / total);
    },
  });
  const one = await openLogPartitions(all);
  const groups = 2;
  const first = await one.at(12);
  expect(asked.count).toBe(groups);
  await one.at(100);
  await one.at(20);
  expect(await one.at(12)).toBe(first);
  expect(asked.count).toBe(groups);
  expect(seen).toEqual([0, expect.closeTo(0.7, 0.2), 1]);
  await one.at(45);
  expect(asked.count).toBe(2 * groups);
  await one.close();
});

it('a pass ends where the one who hears of it throws', async () => {
  const { all, asked } = optionsWith({
    onLinks: (done) => {
      if (done > 0) throw new RangeError('enough');
    },
  });
  const partitions = await openLogPartitions(all);
  await expect(partitions.at(12)).rejects.toThrow('enough');
  expect(asked.count).toBe(1);
  await partitions.close();
});

const long = 160;
const numbers = Float32Array.from({ length: 9973 }, () => random.normal());
const longRows = (rows: number): Float32Array => {
  const table = new Float32Array(rows * long);
  for (let start = 0; start < table.length; start += numbers.length)
    table.set(numbers.subarray(0, table.length - start), start);
  return table;
};

/** The bytes of all cosines of long vectors, and for how many columns their session was opened. */
async function longCosines(count: number, threadsOf: (columns: number) => number) {
  const opened: number[] = [];
  const cosines: Buffer[] = [];
  const partitions = await openLogPartitions({
    model: { ...model, dimension: long },
    facts: createKnowledgeGraph({
      ...{ entityCount: count, relationCount: 2 },
      triples: Int32Array.from({ length: 3 * heads }, (_, i) => (i % 3 === 1 ? 0 : Math.floor(i / 3))),
    }),
    ...{ directions: longRows(count), manyEntities: 0 },
    projected: async (_heads, _relations, rows) => new ort.Tensor('float32', longRows(rows), [rows, long]),
    async open(program, columns) {
      opened.push(columns);
      const session = await openOrtSession(program, {
        ...{ executionProviders: ['cpu'], intraOpNumThreads: threadsOf(columns) },
      });
      const run = session.run.bind(session);
      // Overloaded: options alone are never given here.
      session.run = async (
        feeds: ort.InferenceSession.FeedsType,
        fetches?: ort.InferenceSession.FetchesType | ort.InferenceSession.RunOptions,
      ) => {
        const results = await run(feeds, fetches as ort.InferenceSession.FetchesType);
        const { data } = results['result']!;
        cosines.push(Buffer.from((data as Float32Array).slice().buffer)); // A program of floats.
        return results;
      };
      return session;
    },
  });
  await partitions.at(12);
  await partitions.close();
  return { bytes: Buffer.concat(cosines), opened };
}

it('cosines of many entities are the same with any number of threads', async () => {
  // The last piece would have 100 entities, were the others as large as they can be.
  const count = 2 ** 14 + 100;
  const one = await longCosines(count, () => 1);
  const some = await longCosines(count, (columns) => threadsOfProduct(columns, 4));
  expect(one.bytes.length).toBe(4 * 64 * count);
  expect(some.bytes.equals(one.bytes)).toBe(true);
  // Threads divide a piece, not all entities.
  expect(some.opened).toEqual([count / 2]);
  // With 64 columns each, two threads add in another order on processors with AVX-512: the bound on threads keeps that away.
  const few = await longCosines(128, () => 1);
  const bounded = await longCosines(128, (columns) => threadsOfProduct(columns, 2));
  expect(bounded.bytes.equals(few.bytes)).toBe(true);
});
