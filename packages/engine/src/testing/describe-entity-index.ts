import { FuzzError } from '@fuzzqe/core';
import type { EntityIndex, IndexHits, IndexSearch } from '../entity-index/entity-index.ts';
import type { TestRunner } from './describe-session.ts';
import { expectThat } from './session-case-tools.ts';

/** What an index's suite runs on, made anew for every case. */
export interface EntityIndexSetup {
  readonly index: EntityIndex;
  /** What it holds: at least 40 rows, no two of them alike. Shapes: [|E|] rows of [d]. */
  readonly rows: readonly Float32Array[];
  /** Frees what the index was made with. Default: nothing. */
  readonly close?: () => Promise<void>;
}

/** One thing that every index must do. It throws where the index does not. */
export interface EntityIndexCase {
  readonly name: string;
  run(setup: EntityIndexSetup): Promise<void>;
}

/** How many of the best rows an index that is not exact has to find over all searches of a case. */
const leastRecall = 0.9;

/** What every `EntityIndex` must do. */
export const entityIndexCases: readonly EntityIndexCase[] = [
  {
    name: 'finds the rows of highest inner product, best first, with their products',
    run: (setup) => expectFound(setup, () => ({})),
  },
  {
    name: 'finds nothing but what is allowed, and all of it where it is asked for as much',
    async run(setup) {
      const { rows, index } = setup;
      const allowed = Int32Array.from({ length: Math.ceil(rows.length / 3) }, (_, i) => 3 * i);
      await expectFound(setup, () => ({ allowed }));
      const k = Math.min(allowed.length, index.capabilities.maxTopK);
      const [found] = await index.search([{ embedding: rows[1]!, k, allowed }]);
      expectThat(found!.ids.length === k, `expected ${k} rows that are allowed, got ${found!.ids.length}`);
    },
  },
  {
    name: 'finds none of what is excluded, and k others, be they the best by far',
    async run(setup) {
      const { rows, index } = setup;
      // The best are left out: what looks at the best alone would find nothing.
      await expectFound(setup, (best) => ({ excluded: best.slice(0, 12).sort() }));
      await expectFound(setup, (best) => ({ excluded: best.slice(0, rows.length - 15).sort() }));
      const odd = Int32Array.from({ length: Math.floor(rows.length / 2) }, (_, i) => 2 * i + 1);
      const allowed = Int32Array.from({ length: Math.ceil(rows.length / 3) }, (_, i) => 3 * i);
      await expectFound(setup, () => ({ allowed, excluded: odd }));
      const k = Math.min(10, allowed.length);
      const [none] = await index.search([{ embedding: rows[0]!, k, allowed, excluded: allowed }]);
      expectThat(none!.ids.length === 0, 'expected nothing where all that is allowed is excluded');
    },
  },
  {
    name: 'gives as many as it is asked for, up to the most that it can, and refuses more',
    async run({ index, rows }) {
      const most = Math.min(rows.length, index.capabilities.maxTopK);
      const [all] = await index.search([{ embedding: rows[0]!, k: most }]);
      expectThat(new Set(all!.ids).size === most, `expected ${most} distinct rows, got ${all!.ids.length}`);
      const wrong = [
        { embedding: rows[0]!, k: index.capabilities.maxTopK + 1 },
        { embedding: rows[0]!, k: 0 },
        { embedding: rows[0]!.subarray(1), k: 1 },
      ];
      for (const search of wrong) {
        const code = await refusalOf(index.search([search]));
        expectThat(code === 'range', `expected a search that does not fit to be refused, got ${code}`);
      }
    },
  },
  {
    name: 'refuses a search that was given up or is too late, and answers the next',
    async run({ index, rows }) {
      const searches = [{ embedding: rows[0]!, k: 3 }];
      const aborted = await refusalOf(index.search(searches, { signal: AbortSignal.abort() }));
      expectThat(aborted === 'interrupted', `expected interrupted, got ${aborted}`);
      const late = await refusalOf(index.search(searches, { deadline: performance.now() - 1 }));
      expectThat(late === 'deadline', `expected deadline, got ${late}`);
      const [found] = await index.search(searches);
      expectThat(found!.ids.length === 3 && index.state === 'ready', 'expected an answer after refusals');
    },
  },
  {
    name: 'refuses searches once it is closed, twice without harm',
    async run({ index, rows }) {
      expectThat(index.state === 'ready', 'expected it to be ready before it is closed');
      await index.close();
      expectThat(index.state === 'closed', `expected a closed index to say so, got ${index.state}`);
      const code = await refusalOf(index.search([{ embedding: rows[0]!, k: 1 }]));
      expectThat(code === 'runtime', `expected a closed index to refuse, got ${code}`);
      await index.close();
    },
  },
];

/**
 * Declares the contract of `EntityIndex` as tests of one.
 *
 * @example
 * describeEntityIndex({ describe, it }, 'a database', async () => ({ index: await openEntityIndex(address), rows }));
 */
export function describeEntityIndex(
  { describe, it }: TestRunner,
  name: string,
  setup: () => Promise<EntityIndexSetup>,
): void {
  describe(name, () => {
    for (const indexCase of entityIndexCases)
      it(indexCase.name, async () => {
        const context = await setup();
        try {
          await indexCase.run(context);
        } finally {
          await context.index.close();
          await context.close?.();
        }
      });
  });
}

/** Compares what is found for several rows with all products. */
async function expectFound(
  { index, rows }: EntityIndexSetup,
  choose: (best: Int32Array) => Pick<IndexSearch, 'allowed' | 'excluded'>,
): Promise<void> {
  const asked = rows.slice(0, 6).map((embedding) => {
    const best = ranked(rows, embedding);
    const { allowed, excluded } = choose(best);
    const left = best.filter((id) => allowed?.includes(id) !== false && excluded?.includes(id) !== true);
    return { search: { embedding, k: Math.min(10, left.length), allowed, excluded }, left };
  });
  const found = await index.search(asked.map(({ search }) => search));
  expectThat(found.length === asked.length, `expected ${asked.length} results, got ${found.length}`);
  let [hit, wanted] = [0, 0];
  for (const [i, { search, left }] of asked.entries()) {
    const { ids } = found[i]!;
    expectHits(found[i]!, search, rows);
    expectThat(ids.length === search.k, `search ${i}: expected ${search.k} rows, got ${ids.length}`);
    for (const id of ids) expectThat(left.includes(id), `search ${i}: row ${id} may not be found`);
    const best = new Set(left.slice(0, search.k));
    hit += ids.filter((id) => best.has(id)).length;
    wanted += search.k;
  }
  const least = index.capabilities.exact ? 1 : leastRecall;
  expectThat(hit >= least * wanted, `expected ${least * wanted} of the best rows, got ${hit}`);
}

function expectHits(
  { ids, scores }: IndexHits,
  { embedding }: IndexSearch,
  rows: readonly Float32Array[],
): void {
  expectThat(new Set(ids).size === ids.length && scores.length === ids.length, `not distinct: ${ids}`);
  ids.forEach((id, place) => {
    const product = dot(rows[id]!, embedding);
    const apart = Math.abs(scores[place]! - product);
    expectThat(
      apart <= 1e-2 * Math.max(1, Math.abs(product)),
      `row ${id}: got ${scores[place]} for ${product}`,
    );
    expectThat(place === 0 || scores[place - 1]! >= scores[place]!, `not best first: ${scores}`);
  });
}

/** All rows, best first. */
function ranked(rows: readonly Float32Array[], embedding: Float32Array): Int32Array {
  const products = rows.map((row) => dot(row, embedding));
  return Int32Array.from(rows.keys()).sort((a, b) => products[b]! - products[a]!);
}

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

function refusalOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'an answer',
    (error: unknown) => (error instanceof FuzzError ? error.code : `${error}`),
  );
}
