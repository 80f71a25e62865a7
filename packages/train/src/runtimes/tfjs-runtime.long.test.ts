import { logicNames } from '@fuzzqe/core/logic';
import { createProgram, type Program, type Tensor } from '@fuzzqe/core/tensor';
import {
  type Backend,
  createDeviceTensors,
  download,
  openBackend,
  openProgram,
  probeBackend,
} from '@fuzzqe/tfjs';
import { presentBackends } from '@fuzzqe/tfjs/testing';
import * as tf from '@tensorflow/tfjs-core';
// Gradients of its own operations come on request.
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gradients } from '../autodiff/gradients.ts';
import { isSoftware } from '../devices/adapter.ts';
import { lossNames } from '../loss/losses.ts';
import { learnedNames } from '../step/step-program.ts';
import { reducedCases } from '../testing/reduced-cases.ts';
import { tinySteps } from '../testing/tiny-steps.ts';
import { type ContractCase, contractCases, describeTrainingRuntime } from '../testing/training-contract.ts';
import { tfjsRuntime } from './tfjs-runtime.ts';

const { present, absent } = await presentBackends();
const webgpu = await probeBackend('webgpu');
const isImitated = webgpu.available && isSoftware(webgpu.adapter ?? '');
for (const { name, reason } of absent) it.skip(`tfjs ${name} (${reason})`, () => {});

it('covers every loss, every logic and every kind of negatives on slow devices, too', () => {
  const found = reducedCases.map(({ config }) => config);
  expect(new Set(found.map(({ loss }) => loss.name))).toEqual(new Set(lossNames));
  expect(new Set(found.map(({ model }) => model.logic))).toEqual(new Set(logicNames));
  const kinds = contractCases.map(({ config }) => config.negatives.kind);
  expect(new Set(found.map(({ negatives }) => negatives.kind))).toEqual(new Set(kinds));
});

describe.each(present)('training with tfjs %s', (name) => {
  // A device that is imitated takes half a second for a step; all of an optimiser's terms are there from the second on.
  const [cases, steps] = name === 'webgpu' && isImitated ? [reducedCases, 6] : [contractCases, 20];
  // Held open: a backend that is closed forgets the kernels that it compiled.
  let backend: Backend;
  beforeAll(async () => {
    backend = await openBackend(name);
  });
  afterAll(() => backend.close());

  describeTrainingRuntime({ describe, it }, 'as every runtime', () => tfjsRuntime(name), cases, steps);

  it('keeps as many tensors and bytes after many steps as after one', async () => {
    const { step, state, feeds } = await tinySteps(cases[0]!.config);
    const session = await tfjsRuntime(name).open(step, state);
    const sizes: (readonly number[])[] = [];
    for (let at = 0; at < 5; at += 1) {
      await session.step(feeds(at));
      const { numTensors, numDataBuffers, numBytes } = tf.memory();
      sizes.push([numTensors, numDataBuffers, numBytes]);
    }
    expect(sizes).toEqual(sizes.map(() => sizes[0]));
    expect(sizes[0]![0]).toBeGreaterThan(step.program.parameters.length - 1);
    await session.close();
  });

  it('goes on from what was written, and reads back what it was given', async () => {
    const { step, state, feeds } = await tinySteps(cases[0]!.config);
    const session = await tfjsRuntime(name).open(step, state);
    expect(await session.read('bases')).toEqual(state['bases']);
    const first = await session.step(feeds(0));
    expect(await session.read('bases')).not.toEqual(state['bases']);
    for (const [tensor, data] of Object.entries(state)) await session.write(tensor, data);
    expect(await session.step(feeds(0))).toBeCloseTo(first, 6);
    await expect(session.read('nothing')).rejects.toThrow('there is no tensor "nothing"');
    await expect(session.write('nothing', Float32Array.of(1))).rejects.toThrow('no state "nothing"');
    await session.close();
  });
});

it('is refused with a state that does not fit', async () => {
  const { step, state } = await tinySteps(contractCases[0]!.config);
  await expect(tfjsRuntime('cpu').open(step, { ...state, bases: new Float32Array(3) })).rejects.toThrow(
    /"bases": expected 192 numbers, got 3/,
  );
});

/** A part of a step's program: some outputs with the feeds that they need. */
function partOf(program: Program, outputs: Readonly<Record<string, Tensor>>): Program {
  const needed = new Set<Tensor>();
  const stack = Object.values(outputs);
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (needed.has(node)) continue;
    needed.add(node);
    stack.push(...node.inputs);
  }
  return createProgram({ name: 'part', inputs: program.inputs.filter((node) => needed.has(node)), outputs });
}

/** The largest difference between our gradients and those of tfjs, beside the largest element of each. */
async function gradientGap(each: ContractCase, scale = 1): Promise<number> {
  const { step, state, feeds } = await tinySteps(each.config);
  const loss = step.program.outputs.find(({ name }) => name === 'loss')!.tensor;
  const forward = partOf(step.program, { loss });
  const learned = forward.parameters.filter(({ attributes }) =>
    learnedNames(each.config).includes(attributes.name),
  );
  const ours = gradients(loss, learned);
  const backward = partOf(
    step.program,
    Object.fromEntries(learned.map(({ attributes }, i) => [attributes.name, ours[i]!])),
  );

  const backend = await openBackend('cpu');
  backend.activate();
  const tensors = createDeviceTensors(backend);
  const variables = learned.map(({ attributes: { name }, shape }) => {
    const variable = tf.variable(tf.tensor(Float32Array.from(state[name]!), shape as number[]), true, name);
    tensors.put(name, variable);
    return variable;
  });
  const own = openProgram(backward, tensors).run(feeds(0));
  const theirs = tf.variableGrads(
    () => tf.reshape(openProgram(forward, tensors).run(feeds(0))['loss']!, []) as tf.Scalar,
    variables,
  ).grads;
  let worst = 0;
  for (const { name } of variables) {
    const [a, b] = [await download(own[name]!), await download(theirs[name]!)];
    expect(a.shape).toEqual(b.shape);
    const largest = Math.max(...Array.from(b.data, Math.abs));
    expect(largest, name).toBeGreaterThan(0);
    a.data.forEach((value, i) => {
      worst = Math.max(worst, Math.abs(scale * value - b.data[i]!) / largest);
    });
  }
  tensors.close();
  return worst;
}

describe('our gradients of a whole step', () => {
  for (const each of contractCases)
    it(`are those that tfjs finds for the same forward program: ${each.name}`, async () => {
      expect(await gradientGap(each)).toBeLessThan(1e-4);
    });

  it('are told apart from gradients that are 1 % larger', async () => {
    expect(await gradientGap(contractCases[0]!, 1.01)).toBeGreaterThan(1e-3);
  });
});
