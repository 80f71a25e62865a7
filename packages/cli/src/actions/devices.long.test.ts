import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DeviceReport, deviceNames } from '@fuzzqe/train';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';
import { describeDevice } from './devices.ts';

describe('fuzzqe devices', () => {
  it('says of each device that it is there, or what is missing', async () => {
    const { code, out } = await fuzzqe('devices', 'cpu,tfjs:wasm,cuda', '--seconds', '0', '--json');
    expect(code).toBe(0);
    const reports = JSON.parse(out) as DeviceReport[];
    expect(reports.map(({ device }) => device)).toEqual(['cpu', 'tfjs:wasm', 'cuda']);
    expect(reports[0]).toMatchObject({ available: true, software: false });
    expect(reports[0]!.wrong).toBeUndefined();
    expect(reports[1]).toMatchObject({ available: true });
    const cuda = reports[2]!;
    expect(cuda.available || /\S/.test(`${cuda.reason}`)).toBe(true);
  });

  it('writes what each is, with its rate', async () => {
    const { out } = await fuzzqe('devices', 'cpu', '--seconds', '1', '--threads', '1');
    // Long lines are wrapped to the terminal's width.
    expect(out.replace(/\n +/g, ' ')).toMatch(/^cpu +yes {2}.+, [\d.]+ [GM]iB, .+, [\d.]+ GFLOP\/s$/);
  });

  it('knows no other devices', async () => {
    expect(await fuzzqe('devices', 'tpu')).toMatchObject({ code: 2 });
  });
});

describe('fuzzqe train --device', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-cli-devices-'));
    expect((await fuzzqe('data', 'countries', '--out', join(folder, 'data'))).code).toBe(0);
    const sampled = await fuzzqe(
      'data',
      'sample',
      join(folder, 'data'),
      '--train',
      '30',
      '--valid',
      '2',
      '--test',
      '1',
    );
    expect(sampled.code, sampled.notes).toBe(0);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const train = (device: string, ...flags: readonly string[]) =>
    fuzzqe(
      'train',
      join(folder, 'data'),
      '--out',
      join(folder, 'run'),
      '--steps',
      '2',
      '--device',
      device,
      ...flags,
    );

  it('says which device it takes, and writes it down', async () => {
    const { code, notes } = await train('tfjs:wasm');
    expect({ code, notes }).toMatchObject({ code: 0, notes: expect.stringMatching(/^Device: tfjs:wasm/m) });
    expect(JSON.parse(await readFile(join(folder, 'run', 'state.json'), 'utf8'))).toMatchObject({
      device: 'tfjs:wasm',
      last: { step: 2 },
    });
  });

  it('refuses a name that is none, and lists those that are', async () => {
    const { code, notes } = await train('gpu');
    expect(code).toBe(2);
    for (const name of ['auto', ...deviceNames]) expect(notes).toContain(name);
  });

  it('ends with what is missing where the device is', async () => {
    const { code, notes } = await train('cuda', '--resume');
    if (code === 0) return; // this machine has CUDA
    expect(code).toBe(8);
    expect(notes).toMatch(/cuda: .+\n.*(fuzzqe install-cuda|Install|nvidia-smi|webgpu)/);
  });
});

it('describes a device in lines that fit the terminal', () => {
  const hint = 'Install it: fuzzqe install-cuda --cuda 12 (or 13, as nvidia-smi says at the top right).';
  const reason = 'the provider is not installed';
  const lines = describeDevice(
    { device: 'cuda', available: false, software: false, limits: {}, reason, hint },
    60,
  );
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  expect(lines.map((line) => line.trim()).join(' ')).toMatch(
    /^cuda +no +the provider is not installed Install it:/,
  );
  expect(lines.join(' ').replace(/ +/g, ' ')).toContain(hint);
});
