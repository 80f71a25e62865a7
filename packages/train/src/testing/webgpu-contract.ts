import { createProgram, input, integerMatmul } from '@fuzzqe/core';
import { emitOnnx } from '@fuzzqe/onnx';
import * as ort from 'onnxruntime-node';
import type { TrainingConfig } from '../config.ts';
import { ortWebgpuRuntime } from '../runtimes/ort-webgpu-runtime.ts';
import { layOutBatch } from '../step/batch-layout.ts';
import { stepProgram } from '../step/step-program.ts';
import { tinyModel } from './tiny-run.ts';
import { type ContractCase, compareWithReference, contractCases } from './training-contract.ts';

/**
 * A process for tests of the WebGPU provider, whose driver is named by environment variables:
 * `webgpu-contract contract` prints a JSON line for each case of the contract, the first with a damaged state;
 * `webgpu-contract placement [--fallback]` makes ONNX Runtime log where the nodes of each case are.
 */

/** Fewer structures than on the CPU, two hops, ∧ and ¬ among them: a software device takes its time for each node. */
const batch: TrainingConfig['batch'] = { '1p': 6, '2p': 3, pni: 3 };
const cases: readonly ContractCase[] = contractCases.map(({ name, config }) => ({
  name,
  config: { ...config, batch },
}));

const [mode, flag] = process.argv.slice(2);
const print = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
if (mode === 'contract') {
  const runtime = ortWebgpuRuntime();
  const damaged = await compareWithReference(runtime, cases[0]!, 2, (state) => {
    state['bases']![17]! *= 1.1;
  });
  print({ name: 'damaged', ...damaged });
  for (const each of cases) print({ name: each.name, ...(await compareWithReference(runtime, each, 20)) });
} else {
  ort.env.logLevel = 'verbose';
  const programs = cases.map(
    ({ config }) =>
      stepProgram(
        tinyModel(config),
        config,
        layOutBatch(
          Object.entries(config.batch).map(([structure, count]) => ({ structure: structure as '1p', count })),
        ),
      ).program,
  );
  if (flag === '--fallback')
    programs.push(
      createProgram({
        name: 'fallback',
        inputs: [input('a', 'uint8', [4, 4]), input('b', 'int8', [4, 4])],
        outputs: { y: integerMatmul(input('a', 'uint8', [4, 4]), input('b', 'int8', [4, 4])) },
      }),
    );
  for (const program of programs) {
    const session = await ort.InferenceSession.create(emitOnnx(program), {
      executionProviders: ['webgpu'],
      graphOptimizationLevel: 'all',
      logSeverityLevel: 0,
    });
    await session.release();
  }
}
