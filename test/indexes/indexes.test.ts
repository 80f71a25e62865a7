import { asEntityId, createRandom } from '@fuzzqe/core';
import { entity, instantiate, not, structures } from '@fuzzqe/core/query';
import {
  type BundleEngine,
  changeable,
  createIndexedRanker,
  createLocalRanker,
  openBundle,
  openEngine,
} from '@fuzzqe/engine';
import { runAmongCandidates } from '@fuzzqe/engine/ranker';
import { describeEntityIndex, describeRanker, memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { measureRecall, openEntityIndex, pushIndex } from '@fuzzqe/entity-index';
import { describe, expect, it } from 'vitest';
import { places } from './places.ts';

const reason = (what: string): string => `${what} is not there: test/indexes/run-indexes.sh brings it`;

interface Memory {
  readonly engine: BundleEngine;
  readonly memory: Awaited<ReturnType<typeof memoryBundle>>;
}

const openOf = (memory: Memory['memory']): Promise<BundleEngine> =>
  openEngine({
    source: memory.source,
    sessions: referenceSessions(memory.config, memory.parameters),
  });

async function openNew(entities: number): Promise<Memory> {
  const memory = await memoryBundle({ entities });
  return { engine: await openOf(memory), memory };
}

const opened = new Map<number, Promise<Memory>>();
/** A bundle that is made once for all tests, which do not close it. */
function openMemory(entities = 80): Promise<Memory> {
  const there = opened.get(entities) ?? openNew(entities);
  opened.set(entities, there);
  return there;
}

let made = 0;
/** A table that nothing else uses. */
const freshTable = (): string => `t${process.pid}_${++made}`;

/** A bundle's index in a fresh table, with the rows that it has to hold. */
async function pushed(address: (table: string, method?: string) => string, method: string) {
  const { engine, memory } = await openMemory();
  const { manifest, profile } = engine;
  const at = address(freshTable(), method);
  await pushIndex(engine, at, { batch: 30 });
  const ids = Array.from({ length: engine.facts.entityCount }, (_, id) => asEntityId(id));
  const rows = await Promise.all(ids.map((id) => engine.embed(entity(id))));
  return { engine, memory, at, rows, index: await openEntityIndex(at, { manifest, profile, checkEvery: 0 }) };
}

describe.each(Object.entries(places))('%s', (name, { there, what, address }) => {
  if (!there) {
    it.skip(reason(what));
    return;
  }

  for (const method of ['approximate', 'exact'])
    describeEntityIndex({ describe, it }, `${name}, ${method}`, async () => {
      const { index, rows } = await pushed(address, method);
      return { index, rows };
    });

  describeRanker({ describe, it }, `a ranker that asks ${name}`, async () => {
    const { engine, memory, index } = await pushed(address, 'exact');
    const { entityCount } = engine.facts;
    return {
      source: memory.source,
      open: async () => {
        const sessions = referenceSessions(memory.config, memory.parameters);
        const ranker = createLocalRanker(changeable(await openBundle(memory.source)), { sessions });
        return createIndexedRanker(ranker, index, { entityCount });
      },
    };
  });

  it('answers fuzzy sets of all structures among candidates as among all entities', async () => {
    const { engine, memory } = await openMemory(700);
    const { manifest, profile } = engine;
    const at = address(freshTable());
    await pushIndex(engine, at);
    const index = await openEntityIndex(at, { manifest, profile, checkEvery: 0 });
    const bundle = await openBundle(memory.source);
    const run = runAmongCandidates(bundle);
    const sessions = referenceSessions(memory.config, memory.parameters);
    const indexed = createIndexedRanker(
      createLocalRanker({ ...bundle, run }, { sessions }),
      index,
      bundle.facts,
    );
    const random = createRandom('sets of indexes');
    const queries = Object.values(structures).map(({ template, anchors, relations }) =>
      instantiate(
        template,
        Array.from({ length: anchors }, () => random.below(700)),
        Array.from({ length: relations }, () => random.below(6)),
      ),
    );
    const rankers = { exact: engine.ranker, indexed };
    const { recall } = await measureRecall(queries, rankers, { k: 10, mode: 'sets' });
    expect(recall).toBeGreaterThan(0.9);
    const negation = { task: 'sets' as const, query: not(queries[0]!), k: 10 };
    await expect(indexed.rank([negation])).rejects.toMatchObject({ code: 'query' });
    await indexed.close();
  });

  it('goes on where a push was stopped, and does nothing where all is there', async () => {
    const { engine } = await openMemory();
    const at = address(freshTable());
    const stop = new AbortController();
    const stopped = pushIndex(engine, at, {
      batch: 10,
      signal: stop.signal,
      onProgress: (_, done) => {
        if (done >= 30) stop.abort();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    const { manifest, profile } = engine;
    const partial = openEntityIndex(at, { manifest, profile, checkEvery: 0 });
    await expect(partial).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringMatching(/not complete: expected 80 rows, got 30/),
    });
    const steps: number[] = [];
    const rest = await pushIndex(engine, at, { batch: 10, onProgress: (_, done) => steps.push(done) });
    expect(rest).toMatchObject({ rows: 80, written: 50 });
    expect(steps[0]).toBe(30);
    expect(await pushIndex(engine, at)).toMatchObject({ rows: 80, written: 0 });
    const index = await openEntityIndex(at, { manifest, profile, checkEvery: 0 });
    const [found] = await index.search([{ embedding: await engine.embed(entity(asEntityId(70))), k: 80 }]);
    expect([...found!.ids].sort((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, i) => i));
    await index.close();
  });

  it('goes on where it was stopped before its rows were made findable', async () => {
    const { engine } = await openMemory();
    const { manifest, profile } = engine;
    const at = address(freshTable());
    const open = () => openEntityIndex(at, { manifest, profile, checkEvery: 0 });
    const stop = new AbortController();
    const stopped = pushIndex(engine, at, {
      signal: stop.signal,
      onProgress: (step) => {
        if (step === 'index') stop.abort();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    await expect(open()).rejects.toMatchObject({ message: expect.stringContaining('got 80, not finished') });
    expect(await pushIndex(engine, at)).toMatchObject({ rows: 80, written: 0 });
    const index = await open();
    expect(await index.search([{ embedding: await engine.embed(entity(asEntityId(7))), k: 5 }])).toHaveLength(
      1,
    );
    await index.close();
  });

  it('refuses to look by a graph where none was made, until it is pushed so', async () => {
    const { engine } = await openMemory();
    const { manifest, profile } = engine;
    const [table, options] = [freshTable(), { manifest, profile, checkEvery: 0 }];
    await pushIndex(engine, address(table, 'exact'));
    const refused = { code: 'bundle', message: expect.stringContaining('pushed with method=exact') };
    await expect(openEntityIndex(address(table), options)).rejects.toMatchObject(refused);
    await expect(pushIndex(engine, address(table))).rejects.toMatchObject(refused);
    expect(await pushIndex(engine, address(table), { replace: true })).toMatchObject({ written: 80 });
    await (await openEntityIndex(address(table), options)).close();
  });

  it('refuses the index of another bundle, also of another size, until it is to be replaced', async () => {
    const [{ engine }, { engine: larger }] = [await openMemory(), await openMemory(81)];
    const at = address(freshTable());
    await pushIndex(engine, at);
    const { manifest, profile } = engine;
    const other = { ...manifest, sha256: 'b'.repeat(64) };
    const refused = { code: 'bundle', message: expect.stringContaining('the index is of another bundle') };
    const open = (of: typeof manifest) => openEntityIndex(at, { manifest: of, profile, checkEvery: 0 });
    await expect(open(other)).rejects.toMatchObject(refused);
    await expect(open({ ...manifest, model: { ...manifest.model, dimension: 12 } })).rejects.toMatchObject({
      message: expect.stringMatching(/the dimension 12, got \d+/),
    });
    await expect(pushIndex(larger, at)).rejects.toMatchObject(refused);
    expect(await pushIndex(larger, at, { replace: true })).toMatchObject({ rows: 81, written: 81 });
    await expect(open(manifest)).rejects.toMatchObject(refused);
  });

  it('says that there is none, where nobody pushed', async () => {
    const { engine } = await openMemory();
    const { manifest, profile } = engine;
    await expect(
      openEntityIndex(address(freshTable()), { manifest, profile, checkEvery: 0 }),
    ).rejects.toMatchObject({ code: 'bundle', hint: expect.stringContaining('fuzzqe index push') });
  });

  it('finds what the exact ranking finds, in a table of its own for each bundle', async () => {
    const { engine, memory } = await openMemory();
    const { manifest, profile } = engine;
    const at = address('x').replace('table=x&', '');
    const { name } = await pushIndex(engine, at, { replace: true });
    expect(name).toMatch(/^fuzzqe_.*_[0-9a-f]{8} at /);
    const index = await openEntityIndex(at, { manifest, profile, checkEvery: 0 });
    const own = await openOf(memory);
    const indexed = createIndexedRanker(own.ranker, index, { entityCount: 80 });
    const random = createRandom('indexes');
    const queries = Array.from({ length: 20 }, () =>
      instantiate(
        structures['2i'].template,
        [random.below(80), random.below(80)],
        [random.below(4), random.below(4)],
      ),
    );
    const recall = await measureRecall(queries, { exact: engine.ranker, indexed }, { k: 10 });
    expect(recall.recall).toBeGreaterThan(0.98);
    // The negative control: an index of other rows finds others.
    const elsewhere = {
      ...index,
      search: async () => [
        { ids: Int32Array.from({ length: 40 }, (_, i) => i), scores: new Float32Array(40) },
      ],
    };
    const wrong = createIndexedRanker(own.ranker, elsewhere, { entityCount: 80, overFetch: 4 });
    expect(
      (await measureRecall(queries, { exact: engine.ranker, indexed: wrong }, { k: 10 })).recall,
    ).toBeLessThan(0.9);
    await indexed.close();
  });
});
