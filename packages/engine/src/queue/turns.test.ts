import { FuzzError, type Steps } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallLimits } from '../ranker/call-limits.ts';
import { inTurns } from './in-turns.ts';
import { readWithNames } from './read-with-names.ts';

/** Work of some pieces, each of which holds the event loop for a millisecond. */
function* busy(pieces: number, done: () => void = () => {}): Steps<number> {
  for (let piece = 0; piece < pieces; piece++) {
    const end = performance.now() + 1;
    while (performance.now() < end);
    yield;
  }
  done();
  return pieces;
}

beforeEach(async () => {
  // A pause that the test before began is over: the timer that ends it is older.
  await new Promise((resolve) => setTimeout(resolve, 5));
  // And so is the time for which others waited: what ends it comes before this.
  await new Promise((resolve) => setImmediate(resolve));
});
// With a clock that stands still, the busy work of the next test would never end.
afterEach(() => vi.restoreAllMocks());

describe('work in turns of the event loop', () => {
  it('lets what waits in between have its turn', async () => {
    let turns = 0;
    const turning = setInterval(() => turns++, 0);
    expect(await Promise.all([inTurns(busy(40)), inTurns(busy(1))])).toEqual([40, 1]);
    clearInterval(turning);
    expect(turns).toBeGreaterThan(4);
  });

  it('gives callers a piece each in turns, and ends the works of one caller in the order in which they began', async () => {
    const ended: string[] = [];
    const work = (name: string, pieces: number, caller: string): Promise<number> =>
      inTurns(
        busy(pieces, () => ended.push(name)),
        { caller },
      );
    await Promise.all([
      work('long', 20, 'ann'),
      work('next', 1, 'ann'),
      work('short', 1, 'bob'),
      work('other', 3, 'cid'),
    ]);
    expect(ended).toEqual(['short', 'other', 'long', 'next']);
  });

  it('has a few large works begun at once, of callers in turns, and lets others pass them', async () => {
    const ended: string[] = [];
    let [begun, most] = [0, 0];
    function* large(name: string): Steps<void> {
      most = Math.max(most, ++begun);
      for (let piece = 0; piece < 6; piece++) yield* busy(1);
      begun--;
      ended.push(name);
    }
    const search = (name: string, options: CallLimits = {}): Promise<void> =>
      inTurns(large(name), { caller: name[0], ...options, isLarge: true });
    const abort = new AbortController();
    const works = [...'abcdefgh'].map((caller) => search(`${caller}1`));
    const given = search('x', { signal: abort.signal }).catch(({ code }) => ended.push(code));
    const second = search('b2');
    const refused = search('y', { signal: abort.signal }).catch(({ code }) => ended.push(code));
    const short = inTurns(busy(1, () => ended.push('short')));
    abort.abort();
    await Promise.all([given, ...works, second, refused, short]);
    expect(most).toBe(4);
    expect(ended).toEqual('interrupted interrupted short a1 b1 c1 d1 e1 f1 g1 h1 b2'.split(' '));
  });

  it('pauses for what one turn has too much of, and not for what many turns have', async () => {
    // A clock that only work moves: the machine may be busy with other things.
    let time = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => time);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    function* short(): Steps<void> {
      time += 1;
      yield;
    }
    for (let i = 0; i < 12; i++) {
      await inTurns(short());
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(timers).not.toHaveBeenCalled();
    await Promise.all(Array.from({ length: 12 }, () => inTurns(short())));
    expect(timers).toHaveBeenCalled();
  });

  it('goes on where the timer that should end a pause is lost, as with a request of a Worker that ends', async () => {
    const { setTimeout: original } = globalThis;
    const lost: unknown[] = [];
    globalThis.setTimeout = ((work: () => void) => lost.push(work)) as never; // which never calls it
    try {
      // Long enough to begin a pause, which nothing ends.
      await Promise.race([inTurns(busy(8)), new Promise((resolve) => original(resolve, 20))]);
    } finally {
      globalThis.setTimeout = original;
    }
    expect(lost.length).toBeGreaterThan(0);
    expect(await inTurns(busy(2))).toBe(2);
  });

  it("looks at no call's signal while it does another's work, which Workers refuse", async () => {
    const { signal } = new AbortController();
    let isOwn = true;
    const read: boolean[] = [];
    const watched = new Proxy(signal, {
      get(target, name) {
        if (name === 'aborted') read.push(isOwn);
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const first = inTurns(busy(12));
    const second = inTurns(busy(2), { signal: watched });
    isOwn = false;
    expect(await Promise.all([first, second])).toEqual([12, 2]);
    expect(read).toEqual([true]);
  });

  it('ends with the error of the work, or where it is given up or too late, and goes on with the next', async () => {
    const abort = new AbortController();
    const given = inTurns(
      busy(1000, () => expect.unreachable()),
      { signal: abort.signal },
    );
    const outcomes = Promise.allSettled([
      given,
      inTurns(busy(1), { deadline: performance.now() }),
      inTurns(
        (function* (): Steps<never> {
          yield;
          throw new Error('broken');
        })(),
      ),
      inTurns(busy(2)),
    ]);
    abort.abort();
    expect(await outcomes).toMatchObject([
      { reason: { code: 'interrupted' } },
      { reason: { code: 'deadline' } },
      { reason: { message: 'broken' } },
      { value: 2 },
    ]);
  });
});

describe('reading with names', () => {
  const input = {
    entities: ['France', 'Germany'].map((label, i) => ({ key: `Q${i}`, label })),
    relations: [{ key: 'borders', label: 'borders' }],
  };
  const vocabulary = createVocabulary(input);

  it('offers near names of the first that there is not, as the vocabulary itself does', async () => {
    expect(await readWithNames(vocabulary, ({ findEntity }) => findEntity('France'))).toBe(0);
    const wrong = [
      () => vocabulary.findEntity('Frnace'),
      () => vocabulary.findRelation('bordrs'),
      () => vocabulary.findEntity('xxxxxxxxx'),
    ] as const;
    const same = [
      readWithNames(vocabulary, ({ findEntity }) => findEntity('Frnace')),
      readWithNames(vocabulary, ({ findRelation }) => findRelation('bordrs')),
      readWithNames(vocabulary, ({ findEntity }) => findEntity('xxxxxxxxx')),
    ];
    for (const [i, outcome] of (await Promise.allSettled(same)).entries()) {
      const { reason } = outcome as PromiseRejectedResult; // the names are none
      expect(wrong[i]).toThrow(reason.message);
      expect(() => wrong[i]!()).toThrow(expect.objectContaining({ hint: reason.hint }));
    }
  });

  it('does what needs no names in a piece of its own', async () => {
    let time = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => time);
    const limits = { costLimit: 1, onCost: () => undefined };
    const orderAfter = async (milliseconds: number): Promise<readonly string[]> => {
      const order: string[] = [];
      setTimeout(() => order.push('others'), 0);
      const read = ({ findEntity }: typeof vocabulary) => {
        order.push('read');
        time += milliseconds;
        return findEntity('France');
      };
      const found = await readWithNames(vocabulary, read, limits, (id) => {
        order.push('complete');
        return `entity ${id}`;
      });
      expect(found).toBe('entity 0');
      return order;
    };
    expect(await orderAfter(1)).toEqual(['read', 'complete']);
    // Whatever waits goes before what follows a long piece.
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await orderAfter(5)).toEqual(['read', 'others', 'complete']);
    const failing = readWithNames(
      vocabulary,
      () => 1,
      limits,
      () => {
        throw new Error('too dear');
      },
    );
    await expect(failing).rejects.toThrow('too dear');
  });

  it('looks at no label for keys, and at all of them in turns for a name that is none', async () => {
    let [time, looked] = [0, 0];
    vi.spyOn(performance, 'now').mockImplementation(() => time);
    const entry = (key: string, label: string) => ({
      key,
      get label() {
        looked += 1;
        time += 0.01;
        return label;
      },
    });
    const large = createVocabulary({
      entities: Array.from({ length: 3000 }, (_, i) => entry(`Q${i}`, `Name ${i}`)),
      relations: [entry('P47', 'borders')],
    });
    [time, looked] = [0, 0];
    const names: [entity: string, relation: string][] = [];
    const read = async (...asked: [entity: string, relation: string]) => {
      const before = looked;
      const found = await readWithNames(large, ({ findEntity, findRelation, hasRelation }) => {
        names.push(asked);
        return [hasRelation(asked[1]), findRelation(asked[1]), findEntity(asked[0])];
      });
      return { found, looked: looked - before };
    };
    let [most, last] = [0, 0];
    let isWatched = true;
    const watch = (): void => {
      most = Math.max(most, looked - last);
      last = looked;
      if (isWatched) setImmediate(watch);
    };
    watch();
    expect(await read('Q7', 'P47')).toEqual({ found: [true, 0, 7], looked: 0 });
    expect(names).toHaveLength(1);
    expect(await read('Name 7', 'P47')).toEqual({ found: [true, 0, 7], looked: 3000 });
    expect(names).toHaveLength(3);
    expect(await read('name 8', 'BORDERS')).toEqual({ found: [true, 0, 8], looked: 3002 });
    expect(await read('NAME 9', 'borders')).toEqual({ found: [true, 0, 9], looked: 0 });
    isWatched = false;
    watch();
    // A piece is 512 of 6003; on a busy machine timers that are late follow one another.
    expect(most).toBeLessThan(2000);
  });

  it('reads again where what reads it goes on without a name, and indexes before where names are written', async () => {
    const read = ({ findEntity }: typeof vocabulary): number => {
      try {
        return findEntity('GERMANY');
      } catch {
        return -1;
      }
    };
    const fresh = (): typeof vocabulary => createVocabulary(input);
    expect(await readWithNames(fresh(), read)).toBe(1);
    for (const writesNames of [false, true]) {
      let reads = 0;
      await readWithNames(fresh(), (names) => [reads++, names.findEntity('France')], {
        costLimit: 0,
        onCost: () => undefined,
        writesNames,
      });
      expect(reads).toBe(writesNames ? 1 : 2);
    }
  });

  it('searches for none where none are wanted, and passes on other errors as they are', async () => {
    const searched = { ...vocabulary, nearNames: (): never => expect.unreachable() };
    const refusing = {
      costLimit: 1,
      onCost() {
        throw new FuzzError('cost', 'too dear');
      },
    };
    for (const limits of [refusing, { costLimit: 0, onCost: () => expect.unreachable() }]) {
      const plain = readWithNames(searched, ({ findEntity }) => findEntity('Frnace'), limits);
      await expect(plain).rejects.toMatchObject({ hint: 'Search the names of the graph.' });
    }
    const other = new FuzzError('query', 'no query');
    const failing = (): never => {
      throw other;
    };
    await expect(readWithNames(searched, failing)).rejects.toBe(other);
  });
});
