import { fileURLToPath } from 'node:url';
import { softwareVulkan } from '@fuzzqe/tfjs/testing';
import { describe, expect, it } from 'vitest';
import { runScript } from '../testing/processes/run-script.ts';
import { reducedCases } from '../testing/reduced-cases.ts';
import { type ContractResult, contractCases, trainingTolerances } from '../testing/training-contract.ts';

const script = fileURLToPath(new URL('../testing/processes/webgpu-contract.ts', import.meta.url));
const vulkan = softwareVulkan();
if (!vulkan.present) {
  if (process.env['FUZZQE_REQUIRE_RUNTIMES'] === '1')
    it('webgpu is present', () => expect.fail(vulkan.reason));
  else process.stderr.write(`skipped webgpu: ${vulkan.reason}\n`);
}

describe.skipIf(!vulkan.present)('training through WebGPU', () => {
  it('equals the float64 reference after 20 steps, in every case after 3, and tells a damaged state apart', {
    timeout: 300_000,
  }, async () => {
    const { code, output, errors } = await runScript(script, ['contract']);
    expect({ code, errors }).toMatchObject({ code: 0 });
    const [damaged, ...results] = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ContractResult & { readonly name: string });
    expect(damaged!.firstLoss).toBeGreaterThan(trainingTolerances.firstLoss);
    expect(results.map(({ name }) => name)).toEqual(
      [...reducedCases, ...contractCases].map(({ name }) => name),
    );
    for (const { name, firstLoss, loss, state, where } of results) {
      expect(firstLoss, name).toBeLessThan(trainingTolerances.firstLoss);
      expect(loss, name).toBeLessThan(trainingTolerances.loss);
      expect(state, `${name}: ${where}`).toBeLessThan(trainingTolerances.state);
    }
  });

  it('has every node on the device and copies nothing between devices', { timeout: 120_000 }, async () => {
    const { code, errors, output } = await runScript(script, ['placement']);
    const log = errors + output;
    expect(code).toBe(0);
    expect(log.match(/All nodes placed on \[WebGpuExecutionProvider\]/g)).toHaveLength(contractCases.length);
    expect(log).not.toMatch(/placed on \[CPUExecutionProvider\]|Memcpy(From|To)Host/);
  });

  it('would notice a node that falls back to the CPU', { timeout: 120_000 }, async () => {
    const { errors, output } = await runScript(script, ['fallback']);
    expect(errors + output).toMatch(/placed on \[CPUExecutionProvider\]/);
  });
});
