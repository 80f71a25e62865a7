import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import { structureNames } from '@fuzzqe/core/query';
import { evaluate, numeric } from '@fuzzqe/core/tensor';
import { difference } from '@fuzzqe/core/testing';
import { initialiseParameters, numericParameters, parameterNames } from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import { checkOnnx, decodeOnnx, emitOnnx, layoutWeights, type ParameterPlacement } from '../index.ts';
import { runOnnx, saveSample } from '../testing/run-onnx.ts';
import { sampleConfig, structureProgram } from '../testing/sample-model.ts';

const trained = initialiseParameters(sampleConfig, createRandom('onnx', 'model'));
const parameters = numericParameters(sampleConfig, trained);
const random = createRandom('onnx', 'queries');
const ids = (count: number, below: number) =>
  numeric(
    [5, count],
    Array.from({ length: 5 * count }, () => random.below(below)),
  );

function queries(program: ReturnType<typeof structureProgram>) {
  const count = (name: string) =>
    program.inputs.find((node) => node.attributes.name === name)!.shape[1] as number;
  return {
    anchors: ids(count('anchors'), sampleConfig.entities),
    relations: ids(count('relations'), sampleConfig.relations),
    k: numeric([1], [4]),
  };
}

describe('the whole model', () => {
  for (const logic of logicNames)
    for (const name of structureNames)
      it(`answers ${name} in ${logic} logic as in float64`, async () => {
        const program = structureProgram(name, { ...sampleConfig, logic });
        const values = { ...queries(program), ...parameters };
        const bytes = emitOnnx(program);
        checkOnnx(bytes);
        saveSample(`${program.name}-${logic}`, bytes);
        const expected = evaluate(program, values);
        const got = await runOnnx(bytes, values);
        expect(difference(got['scores']!, expected['scores']!)).toBeUndefined();
        expect([...got['ids']!.data]).toEqual([...expected['ids']!.data]);
      });
});

describe('parameters', () => {
  const program = structureProgram('pni');
  const values = queries(program);
  const expected = evaluate(program, { ...values, ...parameters });
  const inline = (name: string): ParameterPlacement => ({
    kind: 'inline',
    data: trained[name as keyof typeof trained]!,
  });

  it('can be inputs, after the inputs of the program', () => {
    const { graph } = decodeOnnx(emitOnnx(program));
    expect(graph!.input.map(({ name }) => name)).toEqual([
      ...program.inputs.map((node) => node.attributes.name),
      ...program.parameters.map((node) => node.attributes.name),
    ]);
  });

  it('can be inside the file', async () => {
    const bytes = emitOnnx(program, { parameters: inline });
    checkOnnx(bytes);
    saveSample('inline', bytes);
    const got = await runOnnx(bytes, values);
    expect(difference(got['scores']!, expected['scores']!)).toBeUndefined();
  });

  it('can be in a file of weights beside it', async () => {
    const kept = parameterNames.filter((name) => parameters[name] !== undefined);
    const tensors = kept.map((name) => ({
      name,
      dtype: 'float' as const,
      shape: parameters[name]!.shape,
      bytes: trained[name]!,
    }));
    const layout = layoutWeights(tensors);
    const bytes = emitOnnx(program, {
      parameters: (name) => ({ kind: 'external', location: 'weights.bin', ...layout.places.get(name)! }),
    });
    const file = new Uint8Array(layout.size);
    for (const { name, bytes } of tensors)
      file.set(
        new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        layout.places.get(name)!.offset,
      );
    checkOnnx(bytes, { externalSize: () => layout.size });

    const folder = mkdtempSync(join(tmpdir(), 'fuzzqe-onnx-'));
    try {
      writeFileSync(join(folder, 'weights.bin'), file);
      writeFileSync(join(folder, 'pni.onnx'), bytes);
      const got = await runOnnx(bytes, values, join(folder, 'pni.onnx'));
      expect(difference(got['scores']!, expected['scores']!)).toBeUndefined();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('matter: one weight that is a little different is noticed', async () => {
    const entities = Float32Array.from(trained.entities);
    entities[values.anchors.data[0]! * sampleConfig.dimension]! += 0.01;
    const bytes = emitOnnx(program, {
      parameters: (name) => (name === 'entities' ? { kind: 'inline', data: entities } : inline(name)),
    });
    const got = await runOnnx(bytes, values);
    expect(difference(got['scores']!, expected['scores']!)).toMatch(/element \d+/);
  });

  it('must fit their placement', () => {
    const emit = (placement: ParameterPlacement) => () => emitOnnx(program, { parameters: () => placement });
    expect(emit({ kind: 'inline', data: new Float32Array(3) })).toThrow(/needs \d+ numbers, got 3/);
    expect(emit({ kind: 'inline', data: new Int32Array(3) })).toThrow(
      'needs a Float32Array, got a Int32Array',
    );
    expect(emit({ kind: 'external', location: 'w', offset: 0, length: 3 })).toThrow(/needs \d+ bytes/);
    const length = trained.entities.byteLength;
    const outside = (location: string, offset = 0): ParameterPlacement => ({
      kind: 'external',
      location,
      offset,
      length,
    });
    const only = (placement: ParameterPlacement) => () =>
      emitOnnx(program, { parameters: (name) => (name === 'entities' ? placement : { kind: 'input' }) });
    expect(only(outside('../w.bin'))).toThrow('leads out of the folder');
    expect(only(outside('/w.bin'))).toThrow('not relative');
    expect(only(outside(''))).toThrow('empty');
    expect(only(outside('w.bin', -1))).toThrow('expected an offset');
    expect(only(outside('w.bin'))).not.toThrow();
  });
});
