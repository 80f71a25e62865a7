import { describe, expect, it, vi } from 'vitest';
import { createInFlight } from './in-flight.ts';

describe('requests in flight', () => {
  it('wait after their answers for what they may have begun for others', async () => {
    const inFlight = createInFlight({ openTimeout: 1000 });
    const kept: Promise<unknown>[] = [];
    const context = { waitUntil: (work: Promise<unknown>): unknown => kept.push(work) };
    let settle = (_: string): void => undefined;
    const answer = await inFlight.during(context, async () => {
      void inFlight.share(
        new Promise<string>((resolve) => {
          settle = resolve;
        }),
      );
      return 'answered';
    });
    expect(answer).toBe('answered');
    const turn = new Promise((resolve) => setTimeout(resolve, 5, 'waits'));
    expect(await Promise.race([kept[0]!.then(() => 'ended'), turn])).toBe('waits');
    settle('open');
    await kept[0];
    expect(kept).toHaveLength(1);
  });

  it('are refused once what they wait for is stuck, and not before', async () => {
    let time = 0;
    const inFlight = createInFlight({ openTimeout: 10, tick: 1, now: () => time });
    const context = { waitUntil: () => undefined };
    const never = inFlight.share(new Promise<string>(() => undefined));
    const stops = vi.spyOn(globalThis, 'clearInterval');
    time = 30_010;
    expect(inFlight.isStuck).toBe(false);
    const refused = expect(inFlight.during(context, () => never)).rejects.toMatchObject({ code: 'deadline' });
    time = 30_011;
    expect(inFlight.isStuck).toBe(true);
    await refused;
    // One that was answered looks no more.
    expect(stops).toHaveBeenCalledTimes(1);
    stops.mockRestore();
  });

  it('throw what their work throws, and forget shared work that failed', async () => {
    const inFlight = createInFlight({ openTimeout: 0, now: () => 0 });
    const failing = (): Promise<never> => inFlight.share(Promise.reject(new Error('it failed')));
    await expect(inFlight.during(undefined, failing)).rejects.toThrow('it failed');
    expect(inFlight.isStuck).toBe(false);
  });
});
