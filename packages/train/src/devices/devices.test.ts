import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram, input, matmul, mul, parameter, sum } from '@fuzzqe/core/tensor';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeviceName } from '../runtimes/device-name.ts';
import { expectFit, formatBytes } from '../runtimes/expect-fit.ts';
import { ortCpuRuntime } from '../runtimes/ort-runtime.ts';
import { programCost, stepCost } from '../runtimes/program-cost.ts';
import type { TrainingRuntime } from '../runtimes/training-runtime.ts';
import { stepProgram } from '../step/step-program.ts';
import { findAdapter, isSoftware } from './adapter.ts';
import { chooseDevice } from './choose-device.ts';
import { type DeviceReport, inspectDevice } from './inspect-device.ts';
import { gemmRate, selfCheck } from './measure-device.ts';
import { probeDevice } from './probe-device.ts';
import { sampleSizes, sampleStep } from './sample-step.ts';

const report = (device: DeviceName, changes: Partial<DeviceReport> = {}): DeviceReport => ({
  device,
  available: true,
  software: false,
  limits: {},
  ...changes,
});
const absent = (device: DeviceName): DeviceReport =>
  report(device, { available: false, reason: `no ${device}`, hint: 'Install it' });
const taking = (milliseconds: number): Partial<DeviceReport> => ({ step: { milliseconds, steps: 3 } });

describe('the choice of a device', () => {
  const choose = async (
    wanted: DeviceName | 'auto',
    ...present: readonly DeviceReport[]
  ): Promise<{ device: string; lines: readonly string[] }> => {
    const lines: string[] = [];
    const { device } = await chooseDevice(wanted, {
      threads: 1,
      log: (line) => lines.push(line),
      probe: async (name) => present.find((each) => each.device === name) ?? absent(name),
    });
    return { device, lines };
  };

  it('takes the one with the shortest step', async () => {
    const found = await choose(
      'auto',
      report('cuda', taking(9)),
      report('webgpu', taking(4)),
      report('cpu', taking(150)),
    );
    expect(found.device).toBe('webgpu');
    expect(found.lines).toContain('cuda: 9.0 ms a step');
  });

  it('stays on the CPU where that is faster, and where nothing else is', async () => {
    expect((await choose('auto', report('webgpu', taking(200)), report('cpu', taking(150)))).device).toBe(
      'cpu',
    );
    const { device, lines } = await choose('auto', report('cpu'));
    expect(device).toBe('cpu');
    expect(lines).toContain('cuda is not taken: no cuda. Install it');
  });

  it('takes neither software nor a device that computes something else', async () => {
    const { device, lines } = await choose(
      'auto',
      report('webgpu', { ...taking(1), software: true, adapter: 'SwiftShader' }),
      report('cuda', { wrong: 'one step gives a loss of 3' }),
      report('cpu', taking(150)),
    );
    expect(device).toBe('cpu');
    expect(lines).toContain('webgpu is not taken: SwiftShader is software');
    expect(lines).toContain('cuda is not taken: one step gives a loss of 3');
  });

  it('is software where software was asked for by name, and nothing else than what was asked for', async () => {
    expect((await choose('webgpu', report('webgpu', { software: true }))).device).toBe('webgpu');
    await expect(choose('cuda', report('cpu'))).rejects.toMatchObject({
      code: 'runtime',
      message: 'cuda: no cuda',
      hint: 'Install it',
    });
    await expect(choose('cuda', report('cuda', { wrong: 'NaN' }))).rejects.toThrow('cuda: NaN');
  });

  it.each(['SwiftShader driver 5.0.0', 'llvmpipe (LLVM 15.0.6, 256 bits)'])(
    'knows %s as software',
    (name) => {
      expect(isSoftware(name)).toBe(true);
      expect(isSoftware('NVIDIA H200')).toBe(false);
    },
  );
});

describe('what is found out about a device', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-probe-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const probing = async (script: string, timeout = 20): Promise<DeviceReport> => {
    const path = join(folder, 'probe.mjs');
    await writeFile(path, script);
    return probeDevice('webgpu', { threads: 1, script: path, timeout });
  };

  it('is what the process of the probe says', async () => {
    const found = await probing(
      `process.once('message', ({ device }) => process.send({ device, available: true, software: false, limits: {} }, () => process.exit(0)));`,
    );
    expect(found).toEqual(report('webgpu'));
  });

  it('is how that process ended, where it says nothing', async () => {
    const crash = `process.stderr.write('vkCreateInstance failed\\n', () => process.kill(process.pid, 'SIGSEGV'));`;
    expect(await probing(crash)).toMatchObject({
      available: false,
      reason: 'the process that tried it ended with SIGSEGV: vkCreateInstance failed',
    });
    expect(await probing(`process.exit(3)`)).toMatchObject({
      available: false,
      reason: 'the process that tried it ended with exit code 3',
    });
  });

  it('is that it does not answer', async () => {
    expect(await probing('setInterval(() => {}, 1000)', 0.5)).toMatchObject({
      available: false,
      reason: 'the process that tried it did not answer in 0.5 s',
    });
  });

  it('is its memory and its rate', async () => {
    const found = await inspectDevice('cpu', { threads: 1, gemmSeconds: 0.2 });
    expect(found).toMatchObject({ device: 'cpu', available: true, software: false });
    expect(found.wrong).toBeUndefined();
    expect(found.limits.memoryBytes).toBeGreaterThan(2 ** 28);
    expect(found.gemm!.gflops).toBeGreaterThan(0.1);
    expect((await findAdapter('tfjs:wasm')).limits.memoryBytes).toBeLessThanOrEqual(2 ** 32);
  });

  it('is in one line why it is not there', async () => {
    const found = await inspectDevice('tfjs:tensorflow', { threads: 1 });
    if (found.available) return; // this machine has it
    expect(found.reason).toMatch(/^\S.*$/);
  });
});

describe('measuring', () => {
  const cpu = ortCpuRuntime({ threads: 1 });

  it('finds nothing wrong with the CPU', async () => {
    expect(await selfCheck(cpu)).toBeUndefined();
  });

  it('finds a loss and a gradient that are slightly wrong', async () => {
    const wrong = (what: 'loss' | 'bases.sum', factor: number): TrainingRuntime => ({
      device: 'wrong',
      async open(step, state) {
        const session = await cpu.open(step, state);
        return {
          ...session,
          step: async (feeds) => (await session.step(feeds)) * (what === 'loss' ? factor : 1),
          read: async (name) => {
            const data = await session.read(name);
            return name === what ? data.map((value) => value * factor) : data;
          },
        };
      },
    });
    expect(await selfCheck(wrong('loss', 1.001))).toMatch(/^one step gives a loss of/);
    expect(await selfCheck(wrong('bases.sum', 1.01))).toMatch(/^one step gives bases.sum/);
    // In TF32 that much is rounding, and more is not.
    expect(await selfCheck(wrong('bases.sum', 1.01), { tf32: true })).toBeUndefined();
    expect(await selfCheck(wrong('loss', 1.05), { tf32: true })).toMatch(/^one step gives a loss of/);
    expect(await selfCheck(wrong('bases.sum', 1.05), { tf32: true })).toMatch(/^one step gives bases.sum/);
  });

  it('multiplies larger matrices as long as they are quick', async () => {
    const { gflops, size } = await gemmRate(cpu, 0.5);
    expect(gflops).toBeGreaterThan(0.1);
    expect(size).toBeGreaterThanOrEqual(256);
  });
});

describe('what a step costs', () => {
  const x = input('x', 'float', ['n', 100]);
  const w = parameter('w', [100, 50]);
  const product = matmul(x, w);
  const program = createProgram({
    name: 'cost',
    inputs: [x],
    outputs: { loss: sum(mul(product, product), [0, 1]), 'next.w': w },
  });
  const feeds = { x: { shape: [2000, 100], data: new Float32Array(200_000) } };

  it('is counted by the shapes of its feeds', () => {
    expect(programCost(program, feeds)).toEqual({
      matmulFlop: 2 * 2000 * 100 * 50,
      stateBytes: 4 * 100 * 50,
      // x and its product are there together; after that the product and its square.
      peakBytes: 4 * (2000 * 100 + 2000 * 50),
      largest: { what: 'x [2000, 100]', bytes: 800_000 },
    });
  });

  it('is compared with what the device allows', () => {
    const cost = programCost(program, feeds);
    expect(() => expectFit('webgpu', {}, cost)).not.toThrow();
    expect(() => expectFit('webgpu', { bufferBytes: 800_000, memoryBytes: 1_240_000 }, cost)).not.toThrow();
    expect(() => expectFit('webgpu', { bufferBytes: 799_999 }, cost)).toThrow(
      'webgpu: x [2000, 100] needs 781 KiB in one piece, the device allows 781 KiB',
    );
    expect(() => expectFit('webgpu', { memoryBytes: 1_239_999 }, cost)).toThrow(
      /^webgpu: a step needs 1.2 MiB, the device has 1.2 MiB: parameters and optimiser 39.1 KiB, intermediate results 1.1 MiB, the largest of them x \[2000, 100\] with 781 KiB$/,
    );
  });

  it('is more on the CPU: the reserve of ONNX Runtime and the process itself', () => {
    const cost = programCost(program, feeds);
    const needed = 2 ** 28 + 3 * 20_000 + 1.7 * 1_200_000;
    expect(() => expectFit('cpu', { memoryBytes: needed }, cost)).not.toThrow();
    expect(() => expectFit('cpu', { memoryBytes: needed - 1 }, cost)).toThrow(
      /^cpu: a step needs 258 MiB, the device has 258 MiB: parameters and optimiser 58.6 KiB, intermediate results 1.9 MiB, .*, the process itself 256 MiB$/,
    );
    expect(() => expectFit('webgpu', { memoryBytes: needed - 1 }, cost)).not.toThrow();
  });

  it("is near what the process was seen to take at the paper's size, 7.4 GiB with a checkpoint, and refused where there is less", async () => {
    // The feeds do not depend on the dimension, and the state of a small one is quickly made.
    const small = await sampleStep({ ...sampleSizes.paper, dimension: 8 });
    const model = { ...small.model, dimension: sampleSizes.paper.dimension };
    const paper = stepProgram(model, { ...small.config, model }, small.step.layout);
    const cost = stepCost(paper, 'cpu', small.source.feeds(0));
    expect(() => expectFit('cpu', { memoryBytes: 7.5 * 2 ** 30 }, cost)).not.toThrow();
    expect(() => expectFit('cpu', { memoryBytes: 6.5 * 2 ** 30 }, cost)).toThrow(
      /^cpu: a step needs 7\.\d GiB, the device has 6\.5 GiB/,
    );
    // The whole step as one program, as other devices run it, has AdamW's own results too.
    expect(stepCost(paper, 'webgpu', small.source.feeds(0)).peakBytes).toBeGreaterThan(cost.peakBytes);
  });

  it('is written for people', () => {
    expect([0, 5, 1023, 1024, 1.5 * 2 ** 40].map(formatBytes)).toEqual([
      '0 B',
      '5 B',
      '1023 B',
      '1.0 KiB',
      '1.5 TiB',
    ]);
  });
});
