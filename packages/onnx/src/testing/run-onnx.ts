import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NumericTensor, NumericTensors } from '@fuzzqe/core/tensor';
import { openInferenceSession, Tensor } from '@fuzzqe/ort';
import { decodeOnnx } from '../proto/codec.ts';
import { elementTypeNamed } from '../proto/element-type.ts';

/** Runs an ONNX file with onnxruntime on the CPU; `path` is for files whose weights stand next to them. */
export async function runOnnx(
  bytes: Uint8Array,
  values: NumericTensors,
  path?: string,
): Promise<Record<string, NumericTensor>> {
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 2 as const };
  const session = await openInferenceSession(path ?? bytes, options);
  const feeds: Record<string, Tensor> = {};
  for (const { name = '', type } of decodeOnnx(bytes).graph!.input)
    feeds[name] = toTensor(values[name]!, elementTypeNamed(type?.tensorType?.elemType));
  const results = await session.run(feeds);
  await session.release();
  return Object.fromEntries(
    Object.entries(results).map(([name, { dims, data }]) => [
      name,
      { shape: dims, data: Float64Array.from(data as Float32Array) },
    ]),
  );
}

function toTensor({ shape, data }: NumericTensor, type: string | undefined): Tensor {
  if (type === 'int32') return new Tensor('int32', Int32Array.from(data), shape);
  if (type === 'bool') return new Tensor('bool', Uint8Array.from(data), shape);
  if (type === 'uint8') return new Tensor('uint8', Uint8Array.from(data), shape);
  if (type === 'int8') return new Tensor('int8', Int8Array.from(data), shape);
  return new Tensor('float32', Float32Array.from(data), shape);
}

/** Keeps an emitted file for bench/peers/check_onnx.py where the environment says in which folder. */
export function saveSample(name: string, bytes: Uint8Array): void {
  const folder = process.env['FUZZQE_ONNX_SAMPLES'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.onnx`), bytes);
}
