import { FuzzError, messageOf } from '@fuzzqe/core';
import {
  createDimensions,
  type Dimensions,
  evaluateNode,
  type NumericTensor,
  type NumericTensors,
  type Program,
  type Tensor,
} from '@fuzzqe/core/tensor';
import * as tf from '@tensorflow/tfjs-core';
import type { DeviceTensors } from './device-tensors.ts';
import { type ExecutionPlan, planExecution } from './plan.ts';
import { upload } from './upload.ts';

/** A program that is ready to run on a backend. */
export interface DeviceProgram {
  /**
   * Runs once, with the parameters as they are now. The results belong to the caller, who frees them.
   *
   * @throws FuzzError `shape`: an input that is missing or does not fit, `runtime`: tfjs fails.
   */
  run(feeds: NumericTensors): Record<string, tf.Tensor>;
  /** Frees the program's constants. */
  close(): void;
}

/**
 * Prepares a program whose parameters are tensors of the device.
 *
 * @throws FuzzError `runtime`: an operation that the backend cannot run, `shape`: a parameter that is missing or does
 *   not fit.
 * @example
 * const x = input('x', 'float', ['batch', 2]);
 * const program = createProgram({ name: 'double', inputs: [x], outputs: { y: matmul(x, parameter('w', [2, 2])) } });
 * const tensors = createDeviceTensors(await openBackend('cpu'));
 * tensors.write('w', numeric([2, 2], [2, 0, 0, 2]));
 * const { y } = openProgram(program, tensors).run({ x: numeric([1, 2], [1, 2]) });
 */
export function openProgram(program: Program, tensors: DeviceTensors): DeviceProgram {
  const { backend } = tensors;
  const plan = planExecution(program, backend);
  for (const { attributes, shape } of program.parameters)
    createDimensions().bind(attributes.name, shape, tensors.get(attributes.name).shape);
  backend.activate();
  const constants = new Map<Tensor, tf.Tensor>(
    plan.constants.map((node) => [
      node,
      tf.keep(
        upload(
          { shape: node.shape as readonly number[], data: Float64Array.from(node.attributes.values) },
          node.dtype,
        ),
      ),
    ]),
  );
  return {
    run(feeds) {
      backend.activate();
      return run({ program, plan, tensors, constants }, feeds);
    },
    close() {
      for (const tensor of constants.values()) tensor.dispose();
      constants.clear();
    },
  };
}

interface Opened {
  readonly program: Program;
  readonly plan: ExecutionPlan;
  readonly tensors: DeviceTensors;
  readonly constants: ReadonlyMap<Tensor, tf.Tensor>;
}

function run(
  { program, plan, tensors, constants }: Opened,
  feeds: NumericTensors,
): Record<string, tf.Tensor> {
  const dimensions = createDimensions();
  /** What this run made, and has to free. */
  const own = new Map<Tensor, tf.Tensor>();
  const shared = new Map<Tensor, tf.Tensor>(constants);
  const resultOf = (node: Tensor): tf.Tensor => own.get(node) ?? shared.get(node)!;
  try {
    for (const node of program.parameters) {
      const tensor = tensors.get(node.attributes.name);
      dimensions.bind(node.attributes.name, node.shape, tensor.shape);
      shared.set(node, tensor);
    }
    for (const node of program.inputs) {
      const { name } = node.attributes;
      const value = feeds[name];
      if (value === undefined) throw new FuzzError('shape', `no value for "${name}"`);
      dimensions.bind(name, node.shape, value.shape);
      own.set(node, upload(value, node.dtype));
    }
    const host = hostNumbers(plan.host, feeds, dimensions);
    for (const { node, lowering, reads, lastUses } of plan.steps) {
      if (!own.has(node)) {
        const given = reads.map(resultOf);
        own.set(
          node,
          // tidy: what a lowering makes on the way, such as a reshaped operand, is freed here.
          tf.tidy(() => {
            const result = lowering.run(node, given, {
              backend: tensors.backend.name,
              resolve: dimensions.resolve,
              hostNumber: (of) => host.get(of)!.data[0]!,
              provide: (twin, made) => own.set(twin, tf.keep(made)),
              twin: (of) => plan.twins.get(of),
            });
            return given.includes(result) ? result.clone() : result;
          }),
        );
      }
      for (const read of lastUses) free(own, read);
    }
    return take(program, own, resultOf);
  } catch (cause) {
    if (cause instanceof FuzzError) throw cause;
    const [first] = messageOf(cause).split('\n', 1);
    throw new FuzzError('runtime', `tfjs ${tensors.backend.name}: ${program.name}: ${first}`, { cause });
  } finally {
    for (const tensor of own.values()) tensor.dispose();
  }
}

/** Takes the outputs out of what will be freed; one that is not the run's own, or has two names, is copied. */
function take(
  program: Program,
  own: Map<Tensor, tf.Tensor>,
  resultOf: (node: Tensor) => tf.Tensor,
): Record<string, tf.Tensor> {
  const results: Record<string, tf.Tensor> = {};
  for (const { name, tensor } of program.outputs) results[name] = tf.keep(resultOf(tensor).clone());
  for (const { tensor } of program.outputs) free(own, tensor);
  return results;
}

function free(own: Map<Tensor, tf.Tensor>, node: Tensor): void {
  own.get(node)?.dispose();
  own.delete(node);
}

/**
 * The numbers that decide about shapes, in float64.
 *
 * @throws FuzzError `runtime`: one depends on a parameter.
 */
function hostNumbers(
  nodes: readonly Tensor[],
  feeds: NumericTensors,
  dimensions: Dimensions,
): ReadonlyMap<Tensor, NumericTensor> {
  const known = new Map<Tensor, NumericTensor>();
  for (const node of nodes) {
    if (node.op === 'parameter')
      throw new FuzzError(
        'runtime',
        `tfjs cannot rank by a number that depends on "${node.attributes.name}"`,
      );
    known.set(
      node,
      node.op === 'input'
        ? feeds[node.attributes.name]!
        : evaluateNode(
            node,
            node.inputs.map((input) => known.get(input)!),
            dimensions,
          ),
    );
  }
  return known;
}
