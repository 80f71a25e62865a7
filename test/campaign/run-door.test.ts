import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleCampaign } from '../../scripts/campaign.mjs';
import { doors } from './doors/doors.ts';
import { faults } from './faulty-doors.ts';
import { inputOf } from './input-of.ts';
import { type RunDoorOptions, runDoor } from './run-door.ts';

let program: readonly string[] = [];
let campaign: readonly string[] = [];
beforeAll(async () => {
  program = [process.execPath, await bundleCampaign('test/campaign/faulty-doors.ts', 'faulty-doors')];
  campaign = [process.execPath, await bundleCampaign()];
});
const options = (more: Partial<RunDoorOptions> = {}): RunDoorOptions => ({
  seed: 1,
  seconds: 50,
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
    ['a loop that never ends', 'hangs', 'hang', /more than 1 s/],
    ['a promise that is never settled', 'waits', 'hang', /more than 1 s/],
    ['an end of the process', 'exits', 'crash', /code 3/],
    ['memory outside of the heap', 'grows', 'memory', /MiB, more than 400/],
    ['a heap that overflows', 'overflows', 'crash', /heap/],
  ])('%s', async (_, name, kind, detail) => {
    const result = await runDoor(door(name), options());
    // The third input is the one; it goes on after it.
    expect(result.failures).toEqual([{ index: 2, kind, detail: expect.stringMatching(detail) }]);
    expect(result).toMatchObject({ tried: 6, taken: 5, refused: 0 });
  });

  it('nothing where there is nothing', async () => {
    const result = await runDoor(door('holds'), options());
    expect(result).toMatchObject({ tried: 6, taken: 5, refused: 1, failures: [] });
    expect(result.mebibytes).toBeGreaterThan(20);
  });
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

describe('every door', () => {
  it('has a name of its own', () => {
    expect(new Set(doors.map(({ name }) => name)).size).toBe(doors.length);
  });

  // Those that need minutes are left to the campaign itself.
  const quick = doors.filter(({ seconds = 10 }) => seconds <= 10);
  it.each(quick)('$name takes some of its inputs, refuses others and fails for none', async (each) => {
    const result = await runDoor(each, { seed: 7, seconds: 40, inputs: 40, program: campaign });
    expect(result.failures).toEqual([]);
    expect(result.taken).toBeGreaterThan(0);
    expect(result.refused).toBeGreaterThan(0);
  });
});
