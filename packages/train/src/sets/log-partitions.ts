import type { KnowledgeGraph } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/core/model';
import {
  createCosineCounts,
  headsOfRelations,
  linkLogits,
  measurePartitions,
  partitionTerms,
} from '@fuzzqe/core/sets';
import { createProgram, input, type Program, parameter } from '@fuzzqe/core/tensor';
import * as ort from '@fuzzqe/ort';

/** What log-partitions are measured from. */
export interface LogPartitionOptions {
  readonly model: ModelConfig;
  readonly facts: KnowledgeGraph;
  /** Directions of all entities, by `entityDirections` [|E|, d]. */
  readonly directions: Float32Array;
  /** P_r(p_h) of links [rows, d], with rows of zeros where there are fewer links. */
  projected(heads: Int32Array, relations: Int32Array, rows: number): Promise<ort.Tensor>;
  /** `columns`: how many the products of its matrices have at least, which bounds the threads that divide them. */
  open(program: Program, columns: number): Promise<ort.InferenceSession>;
  /** Of more entities than this, cosines are counted in steps, in one pass for several temperatures. */
  readonly manyEntities: number;
  /** The temperatures that share that pass with the first one asked for. Default: none. */
  readonly temperatures?: readonly number[] | undefined;
  /** Hears of that pass, which takes a time for each entity and link; throws where the work is to end. */
  readonly onLinks?: ((done: number, total: number) => void) | undefined;
}

/** z_r of every relation, measured when it is first asked for. */
export interface LogPartitions {
  /** Shapes: → [|R|]. */
  at(temperature: number): Promise<Float32Array>;
  close(): Promise<void>;
}

/** The terms of log-partitions at a temperature, as `measurePartitions` asks for them. */
interface LinkSums {
  at(temperature: number): (heads: Int32Array, relation: number) => Promise<ArrayLike<number>>;
  readonly session: ort.InferenceSession;
}

/** A product of one row is computed by another kernel, with other roundings. */
export const fewestRows = 2;
/** A product is divided among threads by its columns; with 64 or fewer each, it adds in another order where d > 128. */
const fewestColumns = 128;

/** How many of the threads a product of so many columns takes, to be the same with any number of them. */
export function threadsOfProduct(columns: number, threads: number): number {
  return Math.max(1, Math.min(threads, Math.floor(columns / fewestColumns)));
}

/** How many links and entities are multiplied at once: what is read of an entity is used often, and products stay in the cache. */
const linksAtOnce = 64;
const entitiesAtOnce = 2 ** 14;

/** Opens what sums over all entities that are not recorded for a link, exactly or, of many, by counts of cosines. */
export async function openLogPartitions(options: LogPartitionOptions): Promise<LogPartitions> {
  const { facts, manyEntities } = options;
  const sums = await (facts.entityCount > manyEntities ? countedSums(options) : plainSums(options));
  const measured = new Map<number, Promise<Float32Array>>();
  return {
    at(temperature) {
      const found = measured.get(temperature) ?? measurePartitions(facts, sums.at(temperature));
      measured.set(temperature, found);
      return found;
    },
    close: () => sums.session.release(),
  };
}

/** The sums of one relation and temperature in one run. */
async function plainSums({
  model,
  facts,
  directions,
  projected,
  open,
}: LogPartitionOptions): Promise<LinkSums> {
  const { entityCount } = facts;
  const d = directions.length / entityCount;
  const links = input('projected', 'float', ['m', d]);
  const mask = input('recorded', 'float', ['m', entityCount]);
  const temperature = input('temperature', 'float', [1]);
  const logits = linkLogits(model, temperature, links, parameter('directions', [entityCount, d]));
  const session = await open(
    createProgram({
      name: 'partition',
      inputs: [links, mask, temperature],
      outputs: { result: partitionTerms(logits, mask) },
    }),
    entityCount,
  );
  const table = floats(directions, [entityCount, d]);
  const at: LinkSums['at'] = (of) => async (heads, relation) => {
    const rows = Math.max(fewestRows, heads.length);
    const recorded = new Float32Array(rows * entityCount);
    heads.forEach((head, row) => {
      for (const tail of facts.tails(head, relation)) recorded[row * entityCount + tail] = 1;
    });
    const terms = new Float32Array(rows);
    const feeds = {
      projected: await projected(heads, new Int32Array(heads.length).fill(relation), rows),
      directions: table,
      recorded: floats(recorded, [rows, entityCount]),
      temperature: floats(Float32Array.of(of), [1]),
    };
    await session.run(feeds, { result: floats(terms, [rows, 1]) });
    return terms.subarray(0, heads.length);
  };
  return { at, session };
}

/** The sums of all relations and some temperatures in one pass over the entities, by counts of cosines. */
async function countedSums(options: LogPartitionOptions): Promise<LinkSums> {
  const { model, facts, directions, projected, open, temperatures = [], onLinks } = options;
  const { entityCount } = facts;
  const d = directions.length / entityCount;
  const scale = input('scale', 'float', ['m', 1]);
  const some = input('projected', 'float', ['m', d]);
  const rowsOfTable = input('directions', 'float', ['n', d]);
  // Pieces of about one size: a small one would leave threads too few columns.
  const pieces = Math.ceil(entityCount / entitiesAtOnce);
  const size = Math.ceil(entityCount / pieces);
  const session = await open(
    createProgram({
      name: 'cosines',
      inputs: [some, scale, rowsOfTable],
      outputs: { result: linkLogits(model, scale, some, rowsOfTable) },
    }),
    entityCount - (pieces - 1) * size,
  );
  const counts = createCosineCounts(linksAtOnce);
  const buffer = new Float32Array(linksAtOnce * size);
  const longestLogit = logitBounds(model, directions);

  /** Counts what is not recorded for links, a row each, and gives what 1 stands for in each row. */
  const count = async (heads: Int32Array, relations: Int32Array): Promise<Float64Array> => {
    counts.clear();
    const rows = await projected(heads, relations, linksAtOnce);
    const bounds = longestLogit(rows.data as Float32Array);
    const scales = floats(
      Float32Array.from(bounds, (bound) => 1 / bound),
      [linksAtOnce, 1],
    );
    const tails = Array.from(heads, (head, row) => facts.tails(head, relations[row]!));
    const next = new Int32Array(heads.length);
    for (let start = 0; start < entityCount; start += size) {
      const width = Math.min(size, entityCount - start);
      const cosines = buffer.subarray(0, linksAtOnce * width);
      const feeds = {
        projected: rows,
        scale: scales,
        directions: floats(directions.subarray(start * d, (start + width) * d), [width, d]),
      };
      await session.run(feeds, { result: floats(cosines, [linksAtOnce, width]) });
      tails.forEach((recorded, row) => {
        const ofLink = cosines.subarray(row * width, (row + 1) * width);
        counts.add(row, ofLink);
        for (; next[row]! < recorded.length && recorded[next[row]!]! < start + width; next[row]! += 1)
          counts.remove(row, ofLink[recorded[next[row]!]! - start]!);
      });
    }
    return bounds;
  };
  /** The terms of each relation at the temperatures. */
  const pass = async (wanted: readonly number[]): Promise<ReadonlyMap<number, readonly number[][]>> => {
    const links = headsOfRelations(facts).flatMap((heads, relation) =>
      Array.from(heads, (head) => ({ head, relation })),
    );
    const sums = new Map(
      wanted.map((temperature) => [
        temperature,
        Array.from({ length: facts.relationCount }, (): number[] => []),
      ]),
    );
    for (let first = 0; first < links.length; first += linksAtOnce) {
      onLinks?.(first, links.length);
      const counted = links.slice(first, first + linksAtOnce);
      const bounds = await count(
        Int32Array.from(counted, ({ head }) => head),
        Int32Array.from(counted, ({ relation }) => relation),
      );
      for (const [temperature, ofRelations] of sums)
        counted.forEach(({ relation }, row) => {
          ofRelations[relation]!.push(counts.logSum(row, temperature * bounds[row]!));
        });
    }
    onLinks?.(links.length, links.length);
    return sums;
  };
  const known = new Map<number, readonly number[][]>();
  const sumsAt = async (temperature: number): Promise<readonly number[][]> => {
    if (!known.has(temperature)) {
      const wanted = new Set([temperature, ...temperatures].filter((each) => !known.has(each)));
      for (const [each, sums] of await pass([...wanted])) known.set(each, sums);
    }
    return known.get(temperature)!;
  };
  // It is asked for the heads that were counted: `headsOfRelations`.
  return { session, at: (temperature) => async (_, relation) => (await sumsAt(temperature))[relation]! };
}

/**
 * The largest logit that a link can have at temperature 1: 1 for cosines; with blocks the product of its direction's length
 * and of how far the farthest p_e lies from belonging to everything alike. Shapes: P_r(p_h) [m, d] → [m].
 */
function logitBounds(
  { relationForm, dimension: d }: ModelConfig,
  entities: Float32Array,
): (projected: Float32Array) => Float64Array {
  const lengthAround = (rows: Float32Array, row: number): number => {
    let [mean, squares] = [0, 0];
    for (let i = row * d; i < (row + 1) * d; i += 1) mean += rows[i]! / d;
    for (let i = row * d; i < (row + 1) * d; i += 1) squares += (rows[i]! - mean) ** 2;
    return Math.sqrt(squares);
  };
  if (relationForm === 'bases') return (projected) => new Float64Array(projected.length / d).fill(1);
  let farthest = 0;
  for (let e = 0; e < entities.length / d; e += 1) farthest = Math.max(farthest, lengthAround(entities, e));
  return (projected) =>
    // A row of zeros, where there is no link, has no direction.
    Float64Array.from(
      { length: projected.length / d },
      (_, row) => 2 * d * farthest * lengthAround(projected, row) || 1,
    );
}

const floats = (data: Float32Array, shape: readonly number[]): ort.Tensor =>
  new ort.Tensor('float32', data, shape);
