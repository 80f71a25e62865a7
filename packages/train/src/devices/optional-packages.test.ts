import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runScript } from '../testing/processes/run-script.ts';
import type { DeviceReport } from './inspect-device.ts';

const script = fileURLToPath(new URL('../testing/processes/without-packages.ts', import.meta.url));

/** The optional dependencies of a package of this repository. */
async function optionalOf(name: string): Promise<string[]> {
  const file = new URL(`../../../${name}/package.json`, import.meta.url);
  const { optionalDependencies } = JSON.parse(await readFile(file, 'utf8')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  return Object.keys(optionalDependencies);
}

describe('without the optional packages', () => {
  it('trains on the CPU, and says what is missing for the other devices', async () => {
    const absent = new Set([...(await optionalOf('train')), ...(await optionalOf('tfjs'))]);
    expect(absent).toEqual(new Set(['webgpu']));
    const { code, output, errors } = await runScript(script, [
      'cpu,tfjs:wasm,tfjs:webgpu,tfjs:tensorflow',
      [...absent, '@tensorflow/tfjs-node-gpu', '@tensorflow/tfjs-node'].join(),
    ]);
    expect({ code, errors }).toMatchObject({ code: 0 });
    const [cpu, wasm, webgpu, tensorflow] = reportsOf(output);
    // One step was trained on each, and compared.
    for (const report of [cpu, wasm]) {
      expect(report).toMatchObject({ available: true });
      expect(report!.wrong).toBeUndefined();
    }
    expect(webgpu).toMatchObject({
      available: false,
      reason: 'the package webgpu is not installed',
      hint: expect.stringContaining('npm install webgpu@'),
    });
    expect(tensorflow).toMatchObject({
      available: false,
      reason:
        'the package @tensorflow/tfjs-node-gpu is not installed; the package @tensorflow/tfjs-node is not installed',
    });
  });

  it('trains on the CPU without @fuzzqe/tfjs, and says that it is missing for its devices', async () => {
    const absent = ['@fuzzqe/tfjs'];
    const { code, output, errors } = await runScript(script, ['cpu,tfjs:cpu', absent.join()], { absent });
    expect({ code, errors }).toMatchObject({ code: 0 });
    const [cpu, tfjs] = reportsOf(output);
    expect(cpu).toMatchObject({ available: true });
    expect(tfjs).toMatchObject({
      available: false,
      reason: 'the package @fuzzqe/tfjs is not installed',
      hint: 'Install it: npm install @fuzzqe/tfjs',
    });
  });

  it('names what @fuzzqe/tfjs itself lacks', async () => {
    const { output } = await runScript(script, ['tfjs:cpu', '@tensorflow/tfjs-core']);
    expect(reportsOf(output)).toMatchObject([
      {
        available: false,
        reason: 'the package @fuzzqe/tfjs does not load: Cannot find package @tensorflow/tfjs-core',
      },
    ]);
  });

  it('fails without a package that is not optional', async () => {
    const { code, errors } = await runScript(script, ['cpu', 'onnxruntime-node']);
    expect(code).toBe(1);
    expect(errors).toContain('Cannot find package onnxruntime-node');
  });
});

/** What a process wrote, a line for each device. */
function reportsOf(output: string): readonly DeviceReport[] {
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as DeviceReport);
}
