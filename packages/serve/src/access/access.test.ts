import { describe, expect, it } from 'vitest';
import { createAccessKey, parseAccessKeys } from './access-keys.ts';
import { createRateLimit } from './rate-limit.ts';

describe('keys', () => {
  it('are known by their digest, each by its name, and no others', () => {
    const made = ['ann', 'bob'].map(createAccessKey);
    const keys = parseAccessKeys(`# ours\n\n${made.map(({ line }) => line).join('\r\n')}\n`, 'keys.txt');
    expect(made.map(({ key }) => keys.nameOf(key))).toEqual(['ann', 'bob']);
    for (const other of ['', made[0]!.key.slice(0, -1), `${made[0]!.key} `, made[0]!.line.slice(11)])
      expect(keys.nameOf(other)).toBeUndefined();
    expect(made[0]!.line).not.toContain(made[0]!.key.slice(3));
  });

  it('only read, but for those whose lines end in write', () => {
    const [ann, bob, carl] = ['ann', 'bob', 'carl'].map((name) => createAccessKey(name).line);
    const keys = parseAccessKeys(`${ann}\n${bob} write\n${carl}\twrite \n`, 'keys.txt');
    expect(['ann', 'bob', 'carl', 'dora'].map(keys.mayWrite)).toEqual([false, true, true, false]);
  });

  it.each([
    [`ann sha256:${'0'.repeat(64)} admin`, 'keys.txt:1'],
    [`ann sha256:${'0'.repeat(64)}write`, 'keys.txt:1'],
    ['ann secret-in-clear', 'keys.txt:1'],
    ['ann sha256:00', 'keys.txt:1'],
    [`a b sha256:${'0'.repeat(64)}`, 'keys.txt:1'],
    [`ann sha256:${'0'.repeat(64)}\nann sha256:${'1'.repeat(64)}`, 'keys.txt:2'],
    [`ann sha256:${'0'.repeat(64)}\n\nbob sha256:${'0'.repeat(64)}`, 'keys.txt:3'],
    ['# none', 'keys.txt'],
  ])('are refused by their line, which is not said: %j', (text, path) => {
    const refused = (): unknown => parseAccessKeys(text, 'keys.txt');
    expect(refused).toThrow(expect.objectContaining({ code: 'config', path }));
    expect(refused).not.toThrow(/secret-in-clear/);
  });

  it('are not made with a name that a line cannot have', () => {
    expect(() => createAccessKey('ann smith')).toThrow(/expected a name/);
  });
});

describe('a rate limit', () => {
  it('lets through a burst, then so many a second, of each client for itself', () => {
    let now = 0;
    const limit = createRateLimit({ perSecond: 2, burst: 3, now: () => now });
    const ask = (client: string): number => limit.secondsToWait(client);
    expect([ask('a'), ask('a'), ask('a'), ask('a'), ask('b')]).toEqual([0, 0, 0, 0.5, 0]);
    now += 500;
    expect([ask('a'), ask('a')]).toEqual([0, 0.5]);
    now += 60_000;
    expect([ask('a'), ask('a'), ask('a')]).toEqual([0, 0, 0]);
    expect(ask('a')).toBeGreaterThan(0);
  });

  it('remembers no more than ten thousand clients', () => {
    const limit = createRateLimit({ perSecond: 1, burst: 1, now: () => 0 });
    limit.secondsToWait('first');
    expect(limit.secondsToWait('first')).toBeGreaterThan(0);
    for (let i = 0; i < 10_000; i++) limit.secondsToWait(`${i}`);
    expect(limit.secondsToWait('first')).toBe(0);
  });
});
