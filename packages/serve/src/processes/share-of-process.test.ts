import { describe, expect, it } from 'vitest';
import { readSettings } from '../settings/read-settings.ts';
import type { Settings } from '../settings/settings-table.ts';
import { shareOfProcess } from './share-of-process.ts';

const settingsOf = (flags: Readonly<Record<string, string>>): Promise<Settings> =>
  readSettings({ flags, environment: {} });

describe('the share of a process', () => {
  it('is all there is for one alone', async () => {
    const settings = await settingsOf({ maxConnections: '7' });
    expect(shareOfProcess(settings, 16)).toEqual(settings);
  });

  it('is of what the server has as a whole, and leaves alone what holds for a caller or a request', async () => {
    const flags = { maxConnections: '100', maxInFlight: '10', waitingLimit: '7', cacheBytes: '1000' };
    const settings = await settingsOf({ ...flags, processes: '3', rateLimit: '5', port: '9' });
    expect(shareOfProcess(settings, 16)).toEqual({
      ...settings,
      workers: 5,
      maxConnections: 34,
      maxInFlight: 4,
      waitingLimit: 3,
      cacheBytes: 333,
    });
  });

  it('has two workers at least, and as many as were asked for', async () => {
    const workersOf = async (flags: Readonly<Record<string, string>>): Promise<number | undefined> =>
      shareOfProcess(await settingsOf({ processes: '4', ...flags }), 4).workers;
    expect(await workersOf({})).toBe(2);
    expect(await workersOf({ workers: '1' })).toBe(1);
    expect(await workersOf({ workers: '0' })).toBe(0);
  });
});
