import { createProgram, input, integerMatmul, type Program } from '@fuzzqe/core/tensor';
import { structuresOf } from '@fuzzqe/model';
import { emitOnnx } from '@fuzzqe/onnx';
import * as ort from '@fuzzqe/ort';
import { softwareVulkan } from '@fuzzqe/tfjs/testing';
import { ortWebgpuRuntime } from '../../runtimes/ort-webgpu-runtime.ts';
import { createBatchLayout } from '../../step/batch-layout.ts';
import { stepProgram } from '../../step/step-program.ts';
import { reducedCases } from '../reduced-cases.ts';
import { tinyModel } from '../tiny-run.ts';
import { type ContractCase, compareWithReference, contractCases, withBatch } from '../training-contract.ts';

/**
 * A process for tests of the WebGPU provider, on a software driver:
 * `webgpu-contract contract` prints a JSON line for a damaged state, for 20 steps of each of the few cases and for
 * 3 steps of each case of the contract;
 * `webgpu-contract placement` makes ONNX Runtime log where the nodes of each case are;
 * `webgpu-contract fallback` the same for a program that the provider cannot run as a whole.
 */

/** Fewer structures than on the CPU, two hops, ∧ and ¬ (where the family has it) among them: a software device takes its time for each node. */
const cases: readonly ContractCase[] = contractCases.map((each) =>
  withBatch(each, { '1p': 6, '2p': 3, [structuresOf(each.config.model).includes('pni') ? 'pni' : 'pi']: 3 }),
);

softwareVulkan();
const [mode] = process.argv.slice(2);
const print = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
if (mode === 'contract') {
  const runtime = ortWebgpuRuntime();
  const damaged = await compareWithReference(runtime, cases[0]!, 2, (state) => {
    state['bases']![17]! *= 1.1;
  });
  print({ name: 'damaged', ...damaged });
  for (const each of reducedCases)
    print({ name: each.name, ...(await compareWithReference(runtime, each, 20)) });
  for (const each of cases) print({ name: each.name, ...(await compareWithReference(runtime, each, 3)) });
} else {
  ort.env.logLevel = 'verbose';
  const programs = mode === 'fallback' ? [integerProgram()] : cases.map(programOf);
  for (const program of programs) {
    const session = await ort.openInferenceSession(emitOnnx(program), {
      executionProviders: ['webgpu'],
      graphOptimizationLevel: 'all',
      logSeverityLevel: 0,
    });
    await session.release();
  }
}

function programOf({ config }: ContractCase): Program {
  const groups = Object.entries(config.batch).map(([structure, count]) => ({
    structure: structure as '1p',
    count,
  }));
  return stepProgram(tinyModel(config), config, createBatchLayout(groups)).program;
}

/** The provider has no kernel for products of whole numbers. */
function integerProgram(): Program {
  const [a, b] = [input('a', 'uint8', [4, 4]), input('b', 'int8', [4, 4])];
  return createProgram({ name: 'fallback', inputs: [a, b], outputs: { y: integerMatmul(a, b) } });
}
