import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { bundleCampaign } from '../../scripts/campaign.mjs';
import { doors } from './doors/doors.ts';
import { findDoor } from './doors/find-door.ts';
import { faults } from './faulty-doors.ts';
import { inputOf } from './input-of.ts';
import { type RunDoorOptions, runDoor } from './run-door.ts';

// Processes are started by the dozen: a busy machine takes long for one.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let program: readonly string[] = [];
let campaign: readonly string[] = [];
beforeAll(async () => {
  program = [process.execPath, await bundleCampaign('test/campaign/faulty-doors.ts', 'faulty-doors')];
  campaign = [process.execPath, await bundleCampaign()];
});
const options = (more: Partial<RunDoorOptions> = {}): RunDoorOptions => ({
  seed: 1,
  seconds: 300,
  inputs: 6,
  program,
  ...more,
});
const door = (name: string) => faults.find((each) => each.name === name)!;

describe('the campaign finds', () => {
  it.each([
    ['an error that is none of ours', 'throws', 'error', /TypeError: this is a defect/],
    ['a refusal of the wrong kind', 'refuses-wrongly', 'error', /code runtime/],
    ['an error without end', 'speaks-without-end', 'error', /an error of \d+ characters/],
    ['a rejection that nobody waits for', 'rejects-later', 'error', /outside of any call: Error: later/],
    ['a loop that never ends', 'hangs', 'hang', /more than 3 s/],
    ['a promise that is never settled', 'waits', 'hang', /more than 3 s/],
    ['an end of the process', 'exits', 'crash', /code 3/],
    ['memory outside of the heap', 'grows', 'memory', /MiB, more than 400/],
    ['a heap that overflows', 'overflows', 'crash', /heap/],
  ])('%s', async (_, name, kind, detail) => {
    const result = await runDoor(door(name), options());
    // The third input is the one; it goes on after it.
    expect(result.failures).toEqual([{ index: 2, kind, detail: expect.stringMatching(detail) }]);
    expect(result).toMatchObject({ tried: 6, taken: 5, refused: 0 });
  });

  it('which of several inputs at once ended the process', async () => {
    const { failures } = await runDoor(door('exits-among-others'), options());
    expect(failures).toEqual([{ index: 2, kind: 'crash', detail: expect.stringMatching(/code 3/) }]);
  });

  it('nothing where there is nothing', async () => {
    const result = await runDoor(door('holds'), options());
    expect(result).toMatchObject({ tried: 6, taken: 5, refused: 1, failures: [] });
    expect(result.mebibytes).toBeGreaterThan(20);
  });
});

it('a door is tried once even where its time is over before it is open', async () => {
  const { tried, failures } = await runDoor(door('holds'), options({ seconds: 0 }));
  expect([tried, failures]).toEqual([1, []]);
});

it('an input is told by its seed and index, and a kept one is sent through again', async () => {
  const bytes = { name: 'x', inputs: fc.uint8Array({ minLength: 8, maxLength: 8 }) };
  expect(inputOf(bytes, 1, 5)).toEqual(inputOf(bytes, 1, 5));
  expect(inputOf(bytes, 1, 5)).not.toEqual(inputOf(bytes, 1, 6));
  expect(inputOf(bytes, 1, 5)).not.toEqual(inputOf(bytes, 2, 5));
  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-kept-'));
  const replay = join(folder, 'kept.bin');
  await writeFile(replay, Uint8Array.of(2));
  expect((await runDoor(door('throws'), options({ replay }))).failures).toHaveLength(1);
  await writeFile(replay, Uint8Array.of(1));
  expect((await runDoor(door('throws'), options({ replay }))).failures).toEqual([]);
  await rm(folder, { recursive: true });
});

describe('the command', () => {
  const run = (...args: readonly string[]) =>
    spawnSync(campaign[0]!, [...campaign.slice(1), ...args], { encoding: 'utf8' });

  it('goes on to its goal from what was tried before, and knows when it is there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-resumed-'));
    const resume = join(folder, 'results.json');
    const args = ['--door', 'structures', '--resume', resume] as const;
    const read = async () => JSON.parse(await readFile(resume, 'utf8')) as { readonly results: unknown[] };
    expect(run(...args, '--until', 'reader=30').status).toBe(0);
    expect((await read()).results).toMatchObject([{ door: 'structures', tried: 30, units: 30 }]);
    expect(run(...args, '--until', 'reader=70').stderr).toContain('structures: 40 tried, 0 failed');
    expect((await read()).results).toMatchObject([{ tried: 70, units: 70 }]);
    expect(run(...args, '--until', 'reader=70').stderr).not.toContain('tried');
    await rm(folder, { recursive: true });
  });

  it('says how it is used, and what it does not understand', () => {
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('--until GOALS') });
    expect(run('--until', 'readers=1')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('expected requests, reader, kills, got readers'),
    });
  });
});

describe('every door', () => {
  it('has a name of its own', () => {
    expect(new Set(doors.map(({ name }) => name)).size).toBe(doors.length);
  });

  it('is found by its name', async () => {
    for (const each of doors) expect(await findDoor(each.name)).toBe(each);
    await expect(findDoor('none')).rejects.toThrow('no door none');
  });

  // Those that need minutes are left to the campaign itself.
  const quick = doors.filter(({ seconds = 10 }) => seconds <= 60);
  it.each(quick)('$name takes some of its inputs, refuses others and fails for none', async (each) => {
    const result = await runDoor(each, { seed: 7, seconds: 300, inputs: 40, program: campaign });
    expect(result.failures).toEqual([]);
    expect(result.taken).toBeGreaterThan(0);
    expect(result.refused).toBeGreaterThan(0);
  });
});
