import type { NumericTensor, NumericTensors } from '@fuzzqe/core/tensor';
import { decodeOnnx } from '../proto/codec.ts';
import { elementTypeNamed } from '../proto/element-type.ts';
import { openOnnx } from '../run/open-onnx.ts';
import { type Value, zeros } from '../run/value.ts';

/** Runs an ONNX file, whose weights are in it, in plain JavaScript. */
export function runJavascript(bytes: Uint8Array, values: NumericTensors): Record<string, NumericTensor> {
  const model = decodeOnnx(bytes);
  const run = openOnnx(model, () => new Uint8Array());
  const inputs = model.graph!.input.map(({ name = '', type }) => {
    const kind = elementTypeNamed(type?.tensorType?.elemType)!;
    return [name, valueFrom(values[name]!, kind)] as const;
  });
  return Object.fromEntries(
    [...run(new Map(inputs))].map(([name, { dims, data }]) => [
      name,
      { shape: dims, data: Float64Array.from(data) },
    ]),
  );
}

function valueFrom({ shape, data }: NumericTensor, type: Value['type']): Value {
  const value = zeros(type, shape);
  value.data.set(data);
  return value;
}
