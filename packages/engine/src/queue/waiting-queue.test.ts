import { asEntityId } from '@fuzzqe/core';
import { entity } from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import { createWaitingLine, type WaitingCall, type WaitingQueue } from './waiting-queue.ts';

/** A call of a caller whose requests have these costs. */
function callOf(caller: unknown, costs: readonly number[]): WaitingCall {
  const requests = costs.map((_, id) => ({ task: 'embed' as const, query: entity(asEntityId(id)) }));
  const none = (): void => {};
  const state = { isHeavy: false, since: 0, results: [], next: 0, left: costs.length, settled: false };
  return { requests, costs, caller, ...state, resolve: none, reject: none, stopWaiting: none };
}

/** Who has the next turns. */
const turnsOf = (line: WaitingQueue, count: number): unknown[] =>
  line.take(count, Number.POSITIVE_INFINITY).map(({ call }) => call.caller);

describe('a line of callers', () => {
  it('lets a caller of dear requests have as much as one of many cheap ones', () => {
    const line = createWaitingLine();
    line.add(callOf('dear', [10, 10, 10]));
    for (let i = 0; i < 3; i++)
      line.add(
        callOf(
          'cheap',
          Array.from({ length: 10 }, () => 1),
        ),
      );
    const turns = turnsOf(line, 22);
    expect(turns.slice(0, 12)).toEqual(['dear', ...Array.from({ length: 10 }, () => 'cheap'), 'dear']);
    expect(turns.filter((caller) => caller === 'dear')).toHaveLength(2);
    expect(line.size).toBe(11);
  });

  it('counts what a caller has had that asks again only after its answer', () => {
    const line = createWaitingLine();
    line.add(
      callOf(
        'other',
        Array.from({ length: 20 }, () => 1),
      ),
    );
    line.add(callOf('dear', [10]));
    expect(turnsOf(line, 3)).toEqual(['other', 'dear', 'other']);
    line.add(callOf('dear', [10]));
    line.add(callOf('new', [1]));
    // Of the 12 that were served, other has had 2 and its equal share is 6: it has up to that before whoever comes then.
    expect(turnsOf(line, 5)).toEqual(['other', 'other', 'other', 'other', 'new']);
    expect(turnsOf(line, 5)).toEqual(['other', 'other', 'other', 'other', 'dear']);
  });

  it('forgets all that was once nobody waits', () => {
    const line = createWaitingLine();
    line.add(callOf('dear', [1000]));
    expect(turnsOf(line, 1)).toEqual(['dear']);
    line.add(callOf('other', [1]));
    line.add(callOf('dear', [1]));
    expect(turnsOf(line, 2)).toEqual(['other', 'dear']);
    line.add(callOf('dear', [1]));
    line.add(callOf('other', [1]));
    expect(turnsOf(line, 2)).toEqual(['dear', 'other']);
  });

  it('lets a caller come back among ever new ones once its share is served', () => {
    const line = createWaitingLine();
    for (let i = 0; i < 20; i++) line.add(callOf(i, [1]));
    line.add(callOf('back', [1]));
    const turns: unknown[] = [];
    for (let i = 20; i < 400; i++) {
      line.add(callOf(i, [1]));
      const [first] = turnsOf(line, 1);
      if (first === 'back') line.add(callOf('back', [1]));
      turns.push(first);
    }
    const had = turns.filter((caller) => caller === 'back').length;
    // 380 turns, of 21 to 42 active callers.
    expect(had).toBeGreaterThanOrEqual(8);
    expect(had).toBeLessThanOrEqual(19);
  });

  it.each([
    ['few callers', 500, ['late', 'first', 'last']],
    ['many, of which the smallest debt is let off', 1500, ['first', 'late', 'last']],
  ])('remembers the debts of %s', (_, count, expected) => {
    const line = createWaitingLine();
    const callers = ['first', ...Array.from({ length: count - 1 }, (_, i) => i), 'last'];
    for (const caller of callers) line.add(callOf(caller, [caller === 'first' ? 1.9 : 2]));
    for (let i = 0; i <= count; i++) line.add(callOf(`waits ${i}`, [2]));
    expect(turnsOf(line, count + 1)).toEqual(callers);
    for (const caller of ['last', 'first', 'late']) line.add(callOf(caller, [1]));
    expect(turnsOf(line, count + 4).slice(-3)).toEqual(expected);
  });

  it('passes over thousands that were given up, whose callers no longer count', () => {
    const line = createWaitingLine();
    const left = Array.from({ length: 6000 }, (_, caller) => callOf(caller, [1, 1]));
    for (const call of left) line.add(call);
    line.add(callOf('stays', [1]));
    for (const call of left) {
      call.settled = true;
      line.drop(call);
    }
    expect([line.size, line.before('stays', 1)]).toEqual([1, 1]);
    expect(turnsOf(line, 5)).toEqual(['stays']);
  });

  it('gives no turn to what was settled, and tells what comes before a next request', () => {
    const line = createWaitingLine();
    const gone = callOf('a', [5, 5]);
    line.add(gone);
    line.add(callOf('b', [1, 1, 1, 1, 1, 1]));
    expect(line.before('b', 1)).toBe(6 + 7);
    expect(line.before('c', 2)).toBe(2 + 2);
    gone.settled = true;
    line.drop(gone);
    expect(line.size).toBe(6);
    expect(line.before('c', 2)).toBe(2);
    expect(turnsOf(line, 10)).toEqual(Array.from({ length: 6 }, () => 'b'));
    expect(line.before('c', 2)).toBe(0);
  });

  it('lets go of no more than still waits of a call that is given up half taken', () => {
    const line = createWaitingLine();
    const gone = callOf('a', [5, 5, 5]);
    for (const call of [gone, callOf('a', [1]), callOf('b', [2])]) line.add(call);
    expect(turnsOf(line, 1)).toEqual(['a']);
    gone.settled = true;
    line.drop(gone);
    expect(line.size).toBe(2);
    expect(line.before('c', 100)).toBe(1 + 2);
    expect(turnsOf(line, 5).sort()).toEqual(['a', 'b']);
  });
});
