import { createKnowledgeGraph, FuzzError } from '@fuzzqe/core';
import { parseQueryText } from '@fuzzqe/core/query';
import { type Engine, openGraphEngine } from '@fuzzqe/engine';
import { defaultWeights } from '@fuzzqe/evidence';
import { createMemoryFacts, type FactStore } from '@fuzzqe/facts';
import type { NamedChange } from '@fuzzqe/facts/apply';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { createLiveFacts } from './live-facts.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: `the ${key}` }));
const vocabulary = createVocabulary({
  entities: [...named('Ann', 'Bob', 'Carl', 'Dora'), { key: 'http://g.example/Emil', label: 'Emil' }],
  relations: named('spouse', 'parent'),
  prefixes: new Map([['g', 'http://g.example/']]),
});
const openEngine = (names = vocabulary): Promise<Engine> =>
  openGraphEngine({
    vocabulary: names,
    facts: createKnowledgeGraph({
      entityCount: names.entityCount,
      relationCount: names.relationCount,
      triples: Int32Array.of(0, 0, 1),
    }),
    evidence: {
      weights: defaultWeights(names.relationCount),
      rules: { relationCount: names.relationCount, rules: [] },
    },
  });

const change = (does: 'add' | 'remove', head: string, relation: string, tail: string): NamedChange => ({
  place: '$',
  does,
  head,
  relation,
  tail,
});
const add = (head: string, relation: string, tail: string): NamedChange =>
  change('add', head, relation, tail);

async function open(store: FactStore = createMemoryFacts()) {
  const live = createLiveFacts(store);
  const engine = await openEngine();
  await live.follow(engine);
  return { live, engine, store };
}

const recorded = async (engine: Engine, text: string): Promise<string[]> => {
  const { answers } = await engine.answer(parseQueryText(text, engine.vocabulary));
  return answers.filter(({ state }) => state === 'recorded').map(({ key }) => key);
};

async function batchesOf(store: FactStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { epoch, changes } of store.since(0))
    found.push(
      `${epoch} ${changes.map(({ does, head, relation, tail }) => `${does} ${head} ${relation} ${tail}`).join('; ')}`,
    );
  return found;
}

describe('a write that creates', () => {
  it('makes what the graph lacks, which answers at once, in every engine and after a restart', async () => {
    const { live, engine, store } = await open();
    const other = await openEngine();
    await live.follow(other);
    const written = await live.write(
      [add('Fay', 'likes', 'the Bob'), add('g:Gus', 'likes^-1', 'Fay'), add('Ann', 'parent', 'Carl')],
      { create: true },
    );
    expect(written).toEqual({ epoch: 1, added: 3, removed: 0, unchanged: 0, repeated: false, created: 3 });
    const later = await openEngine();
    const again = createLiveFacts(store);
    await again.follow(later);
    for (const each of [engine, other, later]) {
      expect(await recorded(each, 'project(likes, Fay)')).toEqual(['Bob', 'http://g.example/Gus']);
      expect(await recorded(each, 'project(likes^-1, Bob)')).toEqual(['Fay']);
      expect(each.facts.entityCount).toBe(7);
      expect(each.vocabulary.searchEntities('fay').results[0]).toMatchObject({ id: 5, label: 'Fay' });
    }
    await store.compact();
    const last = await openEngine();
    await createLiveFacts(store).follow(last);
    expect(await recorded(last, 'project(likes, Fay)')).toEqual(['Bob', 'http://g.example/Gus']);
    // What is there is created by nobody.
    expect(await live.write([add('Fay', 'likes', 'Ann')], { create: true })).not.toHaveProperty('created');
  });

  it('is refused for an id that there is not and for a removal of what there is not, and then creates nothing', async () => {
    const { live, engine, store } = await open();
    for (const each of [add('#99', 'parent', 'Fay'), change('remove', 'Fay', 'parent', 'Ann')])
      await expect(live.write([each], { create: true })).rejects.toMatchObject({ code: 'vocabulary' });
    await expect(live.write([add('Fay', 'parent', 'Ann')])).rejects.toMatchObject({ code: 'vocabulary' });
    expect([engine.vocabulary.entityCount, store.epoch]).toEqual([5, 0]);
  });
});

describe('a write', () => {
  it('is durable and visible when it is done, by any name that queries know', async () => {
    const { live, engine, store } = await open();
    expect(await recorded(engine, 'project(parent, Carl)')).toEqual([]);
    const written = await live.write([
      add('the Carl', 'parent', '<Dora>'),
      add('#1', 'spouse^-1', 'g:Emil'),
      change('remove', 'Ann', 'spouse', 'Bob'),
      add('Ann', 'parent', 'Ann'),
      change('remove', 'Ann', 'parent', 'Ann'),
      change('remove', 'Dora', 'spouse', 'Dora'),
    ]);
    expect(written).toEqual({ epoch: 1, added: 2, removed: 1, unchanged: 2, repeated: false });
    expect(await recorded(engine, 'project(parent, Carl)')).toEqual(['Dora']);
    expect(await recorded(engine, 'project(spouse, Emil)')).toEqual(['Bob']);
    expect(await recorded(engine, 'project(spouse, Ann)')).toEqual([]);
    expect(await batchesOf(store)).toEqual([
      '1 add Carl parent Dora; add http://g.example/Emil spouse Bob; remove Ann spouse Bob; remove Ann parent Ann; remove Dora spouse Dora',
    ]);
    await Promise.all([live.close(), engine.close()]);
  });

  it('is refused whole if the graph lacks a name, and names the first ten changes', async () => {
    const { live, engine, store } = await open();
    const bad = Array.from({ length: 12 }, (_, i) => ({
      ...add('Ann', 'spouse', `Nobody${i}`),
      place: `line ${i + 2}`,
    }));
    const error = await live.write([add('Ann', 'spouse', 'Carl'), ...bad]).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'vocabulary', message: expect.stringContaining('12 bad changes') });
    expect(String(error)).toContain('line 11: ');
    expect(String(error)).not.toContain('line 12: ');
    expect(String(error)).toContain('and 2 more');
    await expect(live.write([add('Bobb', 'spouse', 'Ann')])).rejects.toMatchObject({
      path: '$',
      hint: expect.stringContaining('Bob'),
    });
    await expect(live.write([add('#5', 'spouse', 'Ann')])).rejects.toMatchObject({ code: 'vocabulary' });
    expect(store.epoch).toBe(0);
    expect(await recorded(engine, 'project(spouse, Ann)')).toEqual(['Bob']);
    await Promise.all([live.close(), engine.close()]);
  });

  it('of an idempotency key is done once, also if both come at once', async () => {
    const { live, engine, store } = await open();
    const once = { idempotencyKey: 'a' };
    const [first, second] = await Promise.all([
      live.write([add('Carl', 'spouse', 'Dora')], once),
      live.write([add('Carl', 'spouse', 'Ann')], once),
    ]);
    expect(first).toEqual({ epoch: 1, added: 1, removed: 0, unchanged: 0, repeated: false });
    expect(second).toEqual({ epoch: 1, added: 0, removed: 0, unchanged: 1, repeated: true });
    expect(await live.write([add('Carl', 'spouse', 'Ann')], once)).toEqual(second);
    expect(await recorded(engine, 'project(spouse, Carl)')).toEqual(['Dora']);
    expect(store.epoch).toBe(1);
    await Promise.all([live.close(), engine.close()]);
  });

  it('shares one change of the engine with writes that come at once, each with its own counts', async () => {
    const { live, engine } = await open();
    const written = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        live.write([change(i % 2 === 0 ? 'add' : 'remove', 'Ann', 'parent', 'Bob')]),
      ),
    );
    expect(written.map(({ epoch }) => epoch)).toEqual(written.map((_, i) => i + 1));
    expect(written.map(({ added, removed }) => added + 2 * removed)).toEqual(
      written.map((_, i) => 1 + (i % 2)),
    );
    expect(engine.epoch).toBeLessThan(10);
    expect(await recorded(engine, 'project(parent, Ann)')).toEqual([]);
    await Promise.all([live.close(), engine.close()]);
  });

  it('waits for nothing that fails: a store that is away refuses writes, answers go on, and later writes are taken', async () => {
    const memory = createMemoryFacts();
    let isAway = true;
    const store: FactStore = {
      ...memory,
      get epoch() {
        return memory.epoch;
      },
      append: (batch) =>
        isAway
          ? Promise.reject(new FuzzError('storage', 'the disk /srv/facts is full'))
          : memory.append(batch),
    };
    const { live, engine } = await open(store);
    await expect(live.write([add('Ann', 'parent', 'Bob')])).rejects.toMatchObject({
      code: 'storage',
      passing: true,
      retryAfter: 10,
      toCallers: expect.not.stringContaining('/mnt'),
    });
    expect(await recorded(engine, 'project(spouse, Ann)')).toEqual(['Bob']);
    expect(await recorded(engine, 'project(parent, Ann)')).toEqual([]);
    isAway = false;
    expect((await live.write([add('Ann', 'parent', 'Bob')])).epoch).toBe(1);
    await Promise.all([live.close(), engine.close()]);
  });

  it('that an engine cannot take is a fault which says that the write is durable', async () => {
    const { live, engine, store } = await open();
    await engine.close();
    await expect(live.write([add('Ann', 'parent', 'Bob')])).rejects.toMatchObject({
      code: 'runtime',
      passing: false,
      toCallers: expect.stringContaining('durable as epoch 1'),
    });
    expect(store.epoch).toBe(1);
    await live.close();
  });

  it('is refused before an engine is there', async () => {
    const live = createLiveFacts(createMemoryFacts());
    await expect(live.write([add('Ann', 'parent', 'Bob')])).rejects.toMatchObject({
      code: 'runtime',
      passing: true,
    });
    await live.close();
  });
});

it('makes the confidence of a fact its degree, also after a restart', async () => {
  const { live, engine, store } = await open();
  const degrees = async (of: Engine): Promise<readonly (number | undefined)[]> => {
    const [set] = await of.degrees([parseQueryText('project(parent, Ann)', of.vocabulary)]);
    return [set![1], set![2]];
  };
  const unsure = { ...add('Ann', 'parent', 'Bob'), confidence: 0.5 };
  const written = live.write([unsure, { ...add('Ann', 'parent', 'Carl'), confidence: 0.25 }]);
  expect((await written).added).toBe(2);
  expect(await degrees(engine)).toEqual([0.5, 0.25]);
  expect(await live.write([{ ...unsure, confidence: 0.75 }, add('Bob', 'parent', 'Ann')])).toMatchObject({
    added: 1,
    unchanged: 1,
  });
  const restarted = createLiveFacts(store);
  const second = await openEngine();
  await restarted.follow(second);
  for (const each of [engine, second]) expect(await degrees(each)).toEqual([0.75, 0.25]);
  expect(await recorded(second, 'project(parent, Ann)')).toEqual(['Bob', 'Carl']);
  await live.write([add('Ann', 'parent', 'Bob')]);
  expect(await degrees(engine)).toEqual([1, 0.25]);
  await Promise.all([live.close(), engine.close(), second.close()]);
});

describe('follow', () => {
  it('brings an engine to the facts of the store, and keeps two engines there', async () => {
    const { live, engine, store } = await open();
    await live.write([add('Carl', 'spouse', 'Dora'), change('remove', 'Ann', 'spouse', 'Bob')]);
    await live.write([change('remove', 'Carl', 'spouse', 'Dora'), add('Dora', 'spouse', 'Carl')]);
    const second = await openEngine();
    const [, third] = await Promise.all([live.follow(second), live.write([add('Bob', 'parent', 'Ann')])]);
    expect(third.added).toBe(1);
    const triples = [...engine.facts.forwardTriples()];
    expect([...second.facts.forwardTriples()]).toEqual(triples);
    expect(triples).toEqual([1, 2, 0, 3, 0, 2]);
    // An engine that is closed holds up none.
    await engine.close();
    expect((await live.write([add('Bob', 'parent', 'Carl')])).added).toBe(1);
    const restarted = createLiveFacts(store);
    const last = await openEngine();
    await restarted.follow(last);
    expect([...last.facts.forwardTriples()]).toEqual([...second.facts.forwardTriples()]);
    await Promise.all([live.close(), second.close(), last.close()]);
  });

  it('is refused for a graph that lacks a name, with the epoch and the name', async () => {
    const { live, engine } = await open();
    await live.write([add('Ann', 'spouse', 'Carl')]);
    await live.write([add('Ann', 'spouse', 'Emil')]);
    const smaller = createVocabulary({
      // A label is no key.
      entities: [...named('Ann', 'Bob', 'Carl'), { key: 'E', label: 'http://g.example/Emil' }],
      relations: named('spouse', 'parent'),
    });
    const other = await openEngine(smaller);
    await expect(live.follow(other)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(/^facts of epoch 2: .*"http:\/\/g\.example\/Emil"/),
    });
    await Promise.all([live.close(), engine.close(), other.close()]);
  });

  it('is refused for a bundle without facts, whose store may be empty', async () => {
    const { live, engine } = await open();
    const modes = ['embedding'] as const;
    const without = { ...engine, manifest: { ...engine.manifest, modes } };
    await expect(live.follow(without)).rejects.toMatchObject({ code: 'usage' });
    await Promise.all([live.close(), engine.close()]);
  });
});

/** A store that several servers share: each hears of what all append. */
function sharedStore() {
  const memory = createMemoryFacts();
  const listeners = new Set<(epoch: number) => void>();
  let reads = 0;
  const store = (): FactStore => ({
    ...memory,
    get epoch() {
      return memory.epoch;
    },
    async append(batch) {
      const epoch = await memory.append(batch);
      for (const hear of listeners) hear(epoch);
      return epoch;
    },
    since(epoch) {
      reads += 1;
      return memory.since(epoch);
    },
    arrivals(onEpoch) {
      listeners.add(onEpoch);
      return () => void listeners.delete(onEpoch);
    },
    close: async () => {},
  });
  return { store, memory, listeners, reads: () => reads };
}

describe('a store to which others append', () => {
  it('shows the batches of all to all, each once, with the counts of its writer', async () => {
    const shared = sharedStore();
    const [one, other] = [await open(shared.store()), await open(shared.store())];
    const people = ['Ann', 'Bob', 'Carl', 'Dora'];
    const facts = people.flatMap((head) => people.map((tail) => [head, tail] as const));
    const written = await Promise.all(
      facts.map(([head, tail], i) => (i % 2 === 0 ? one : other).live.write([add(head, 'parent', tail)])),
    );
    expect(written.map(({ epoch }) => epoch).sort((a, b) => a - b)).toEqual(facts.map((_, i) => i + 1));
    expect(new Set(written.map(({ added, repeated }) => `${added} ${repeated}`))).toEqual(
      new Set(['1 false']),
    );
    for (const { live, engine } of [one, other]) {
      expect(await live.until(facts.length, 5000)).toBe(true);
      expect(live.headers['fuzzqe-epoch']).toBe(`${facts.length}`);
      for (const head of people) expect(await recorded(engine, `project(parent, ${head})`)).toEqual(people);
    }
    // What another server wrote with the key is not written again.
    const once = { idempotencyKey: 'a' };
    const { epoch } = await one.live.write([change('remove', 'Ann', 'parent', 'Ann')], once);
    expect(await other.live.until(epoch, 5000)).toBe(true);
    expect(await other.live.write([change('remove', 'Ann', 'parent', 'Bob')], once)).toMatchObject({
      epoch,
      removed: 0,
      repeated: true,
    });
    expect(await recorded(other.engine, 'project(parent, Ann)')).toEqual(['Bob', 'Carl', 'Dora']);
    await one.live.close();
    expect(shared.listeners.size).toBe(1);
    await Promise.all([other.live.close(), one.engine.close(), other.engine.close()]);
  });

  it('is read anew if compaction joined what comes next', async () => {
    const shared = sharedStore();
    const { live, engine } = await open(shared.store());
    await live.write([add('Ann', 'parent', 'Bob')]);
    const at = '2026-11-28T12:00:00Z';
    const keys = { head: 'Ann', relation: 'parent' };
    await shared.memory.append({ at, changes: [{ does: 'remove', ...keys, tail: 'Bob' }] });
    await shared.memory.append({ at, changes: [{ does: 'add', ...keys, tail: 'Carl' }] });
    await shared.memory.compact();
    for (const hear of shared.listeners) hear(3);
    expect(await live.until(3, 5000)).toBe(true);
    expect(await recorded(engine, 'project(parent, Ann)')).toEqual(['Carl']);
    await Promise.all([live.close(), engine.close()]);
  });
});

describe('an engine', () => {
  it('that failed once has all facts after the next write, and no epoch before', async () => {
    const { live, engine } = await open();
    const second = { ...engine, changeFacts: () => Promise.reject(new Error('a thread died')) };
    const failing = createLiveFacts(createMemoryFacts());
    let fails = true;
    await failing.follow({
      ...engine,
      get ready() {
        return true;
      },
      changeFacts: (changes) => (fails ? second.changeFacts() : engine.changeFacts(changes)),
    });
    await expect(failing.write([add('Ann', 'parent', 'Bob')])).rejects.toMatchObject({ code: 'runtime' });
    expect([failing.epoch, failing.store.epoch]).toEqual([0, 1]);
    fails = false;
    expect(await failing.write([add('Ann', 'parent', 'Carl')])).toMatchObject({ epoch: 2, added: 1 });
    expect(failing.epoch).toBe(2);
    expect(await recorded(engine, 'project(parent, Ann)')).toEqual(['Bob', 'Carl']);
    await Promise.all([live.close(), failing.close(), engine.close()]);
  });

  it('that left stays as it is', async () => {
    const { live, engine } = await open();
    const second = await openEngine();
    await live.follow(second);
    live.leave(engine);
    await live.write([add('Ann', 'parent', 'Bob')]);
    expect([engine.epoch, second.epoch]).toEqual([0, 1]);
    await Promise.all([live.close(), engine.close(), second.close()]);
  });
});
