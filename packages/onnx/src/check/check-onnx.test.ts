import { FuzzError } from '@fuzzqe/core';
import {
  add,
  constant,
  createProgram,
  exp,
  input,
  parameter,
  sum,
  topKIndices,
  where,
} from '@fuzzqe/core/tensor';
import { caseProgram, opCases } from '@fuzzqe/core/testing';
import { describe, expect, it } from 'vitest';
import {
  checkOnnx,
  decodeOnnx,
  emitModel,
  emitOnnx,
  emitSwitchModel,
  encodeOnnx,
  type GraphForm,
  type OnnxModel,
} from '../index.ts';
import { bytesOf } from '../proto/tensor-data.ts';
import { sampleSwitch } from '../testing/sample-switch.ts';
import { operatorRules } from './operators.ts';

const x = input('x', 'float', ['n', 3]);
const yes = input('yes', 'bool', ['n', 1]);
const inner = add(exp(x), constant([1, 2, 3]));
const program = createProgram({
  name: 'checked',
  inputs: [x, yes],
  outputs: {
    y: where(yes, inner, x),
    total: sum(inner, [1]),
    best: topKIndices(inner, constant([2], [1], 'int')),
    shifted: add(inner, parameter('far', [3])),
  },
});
const model = emitModel(program, {
  parameters: () => ({ kind: 'external', location: 'w.bin', offset: 64, length: 12 }),
});

type Loose = { [key: string]: Loose } & Loose[];
/** A copy of the model with one thing changed. */
function changed(change: (graph: Loose, model: Loose) => void): OnnxModel {
  const copy = structuredClone(model) as unknown as Loose;
  change(copy['graph']!, copy);
  return copy as unknown as OnnxModel;
}
const set = (object: Loose | undefined, key: string | number, value: unknown): void => {
  (object as unknown as Record<string | number, unknown>)[key] = value;
};
const node = (graph: Loose, opType: string): Loose =>
  [...graph['node']!].find((each) => (each['opType'] as unknown) === opType)!;
const initializer = (graph: Loose, name: string): Loose =>
  [...graph['initializer']!].find((each) => (each['name'] as unknown) === name)!;

const corruptions: Record<string, [message: RegExp, change: (graph: Loose, model: Loose) => void]> = {
  'another IR version': [/IR version 10, got 9/, (_, m) => set(m, 'irVersion', 9)],
  'another opset': [/ai.onnx 21, got ai.onnx 17/, (_, m) => set(m['opsetImport']![0], 'version', 17)],
  'other operators': [/got com.other 21/, (_, m) => set(m['opsetImport']![0], 'domain', 'com.other')],
  'no opset': [/got none/, (_, m) => set(m, 'opsetImport', [])],
  'metadata twice': [
    /metadata "a": it occurs twice/,
    (_, m) => set(m, 'metadataProps', [{ key: 'a' }, { key: 'a' }]),
  ],
  'no graph': [/no graph/, (_, m) => set(m, 'graph', undefined)],
  'no graph name': [/no name/, (g) => set(g, 'name', '')],
  'no outputs': [/no outputs/, (g) => set(g, 'output', [])],
  'an unknown operator': [
    /node "exp" \(Sinh\): .*operator "Sinh"/,
    (g) => set(node(g, 'Exp'), 'opType', 'Sinh'),
  ],
  'an operator of another domain': [/operator "com.x.Exp"/, (g) => set(node(g, 'Exp'), 'domain', 'com.x')],
  'too many inputs': [/\(Exp\): expected 1 inputs, got 2/, (g) => set(node(g, 'Exp'), 'input', ['x', 'x'])],
  'too few inputs': [/\(Where\): expected 3 inputs, got 1/, (g) => set(node(g, 'Where'), 'input', ['yes'])],
  'a needed input left out': [/is left out/, (g) => set(node(g, 'Add'), 'input', ['x', ''])],
  'too few outputs': [/\(TopK\): expected 2 outputs, got 1/, (g) => set(node(g, 'TopK'), 'output', ['q'])],
  'a missing attribute': [
    /\(Cast\): the attribute "to" is missing/,
    (g) => set(node(g, 'Cast'), 'attribute', []),
  ],
  'an unknown attribute': [
    /\(Exp\): there is no attribute "base"/,
    (g) => set(node(g, 'Exp'), 'attribute', [{ name: 'base', i: 2, type: 2, floats: [], ints: [] }]),
  ],
  'an attribute twice': [
    /"axis" occurs twice/,
    (g) =>
      set(node(g, 'TopK'), 'attribute', [...node(g, 'TopK')['attribute']!, node(g, 'TopK')['attribute']![0]]),
  ],
  'an attribute of the wrong kind': [
    /"to" does not hold the right kind of value/,
    (g) => set(node(g, 'Cast')['attribute']![0], 'type', 1),
  ],
  'an unknown kind of numbers in Cast': [
    /data type 16/,
    (g) => set(node(g, 'Cast')['attribute']![0], 'i', 16),
  ],
  'a value used before it is produced': [
    /node "exp" \(Exp\): its input "add" is produced later/,
    (g) => set(node(g, 'Exp'), 'input', ['add']),
  ],
  'a value that nobody produces': [
    /its input "z" is produced by nobody/,
    (g) => set(node(g, 'Exp'), 'input', ['z']),
  ],
  'a value produced twice': [/the value "x" exists already/, (g) => set(node(g, 'Exp'), 'output', ['x'])],
  'a node name twice': [/node "exp": it occurs twice/, (g) => set(node(g, 'Add'), 'name', 'exp')],
  'a value without a name': [/its value has no name/, (g) => set(node(g, 'Exp'), 'output', [''])],
  'an output that nobody produces': [
    /output "q": it is produced by nobody/,
    (g) => set(g['output']![0], 'name', 'q'),
  ],
  'an output twice': [/output "total": it occurs twice/, (g) => set(g['output']![0], 'name', 'total')],
  'an output of another kind': [
    /output "y": it is announced as int32, but is float/,
    (g) => set(g['output']![0]!['type']!['tensorType'], 'elemType', 6),
  ],
  'an intermediate value of another kind': [
    /value "exp": it is announced as bool/,
    (g) => set(g['valueInfo']![0]!['type']!['tensorType'], 'elemType', 9),
  ],
  'different kinds in an element-wise operation': [
    /\(Add\): input "yes" is bool, expected float/,
    (g) => set(node(g, 'Add'), 'input', ['exp', 'yes']),
  ],
  'an element-wise operation on truth values': [
    /input "yes" is bool, expected float or int32 or int64/,
    (g) => set(node(g, 'Add'), 'input', ['yes', 'exp']),
  ],
  'a condition that is no truth value': [
    /\(Where\): input "x" is float, expected bool/,
    (g) => set(node(g, 'Where'), 'input', ['x', 'x', 'x']),
  ],
  'an unknown kind of input': [
    /input "x": FuzzQE does not use data type 11/,
    (g) => set(g['input']![0]!['type']!['tensorType'], 'elemType', 11),
  ],
  'an input without a shape': [
    /input "x": it has no shape/,
    (g) => set(g['input']![0]!['type']!['tensorType'], 'shape', undefined),
  ],
  'a negative dimension of an input': [
    /a dimension is -1/,
    (g) => set(g['input']![0]!['type']!['tensorType']!['shape']!['dim'], 0, { dimValue: -1 }),
  ],
  'a dimension without a name': [
    /neither a number nor a name/,
    (g) => set(g['input']![0]!['type']!['tensorType']!['shape']!['dim'], 0, {}),
  ],
  'an input twice': [/the value "x" exists already/, (g) => set(g['input']![1], 'name', 'x')],
  'an initializer with the name of an input': [
    /initializer "x": the value "x" exists already/,
    (g) => set(initializer(g, 'constant'), 'name', 'x'),
  ],
  'too few numbers': [
    /initializer "constant": float\[3\] takes 12 bytes, got 8/,
    (g) => set(initializer(g, 'constant'), 'rawData', new Uint8Array(8)),
  ],
  'no numbers': [/there are none/, (g) => set(initializer(g, 'constant'), 'rawData', undefined)],
  'a negative dimension': [/a dimension is -3/, (g) => set(initializer(g, 'constant'), 'dims', [-3])],
  'an unknown kind of numbers': [/data type 11/, (g) => set(initializer(g, 'constant'), 'dataType', 11)],
  'NaN in an initializer': [
    /initializer "constant": element 1 is not a number/,
    (g) => set(initializer(g, 'constant'), 'rawData', bytesOf('float', [1, Number.NaN, 2])),
  ],
  'another key of external data, which a runtime may know': [
    /"checksum", which FuzzQE does not use/,
    (g) =>
      set(initializer(g, 'far'), 'externalData', [
        ...initializer(g, 'far')['externalData']!,
        { key: 'checksum', value: '0' },
      ]),
  ],
  'a second location, which a runtime may take': [
    /initializer "far", external data "location": it occurs twice/,
    (g) =>
      set(initializer(g, 'far'), 'externalData', [
        ...initializer(g, 'far')['externalData']!,
        { key: 'location', value: '/etc/passwd' },
      ]),
  ],
  'an attribute with a second value, which a runtime may take': [
    /"to" does not hold the right kind of value/,
    (g) => set(node(g, 'Cast')['attribute']![0], 'ints', [1]),
  ],
  'an attribute whose numbers are in a file': [
    /attribute "value": its numbers are in another file/,
    (g) => {
      set(node(g, 'Exp'), 'opType', 'ConstantOfShape');
      const tensor = { ...initializer(g, 'far'), dims: [1] };
      set(node(g, 'ConstantOfShape'), 'attribute', [
        { name: 'value', t: tensor, type: 4, floats: [], ints: [] },
      ]);
    },
  ],
  'external data without a location': [
    /initializer "far": the external data have no "location"/,
    (g) => set(initializer(g, 'far'), 'externalData', []),
  ],
  'external data without an offset': [
    /have no "offset"/,
    (g) => set(initializer(g, 'far')['externalData']![1], 'key', 'o'),
  ],
  'external data without a length': [
    /have no "length"/,
    (g) => set(initializer(g, 'far')['externalData']![2], 'key', 'l'),
  ],
  'external data with an offset that is no number': [
    /"offset" is "-4"/,
    (g) => set(initializer(g, 'far')['externalData']![1], 'value', '-4'),
  ],
  'external data of another length': [
    /float\[3\] takes 12 bytes, the external data have 8/,
    (g) => set(initializer(g, 'far')['externalData']![2], 'value', '8'),
  ],
  'external data outside the folder': [
    /leads out of the folder/,
    (g) => set(initializer(g, 'far')['externalData']![0], 'value', 'a/../../w.bin'),
  ],
  'external data beyond the end of the file': [
    /bytes 70 to 82 are wanted of "w.bin", which has 76/,
    (g) => set(initializer(g, 'far')['externalData']![1], 'value', '70'),
  ],
  'external data in a file that is not there': [
    /there is no file "v.bin"/,
    (g) => set(initializer(g, 'far')['externalData']![0], 'value', 'v.bin'),
  ],
};
const externalSize = (location: string): number | undefined => (location === 'w.bin' ? 76 : undefined);

describe('checkOnnx', () => {
  it('accepts everything that is emitted, as a model and as bytes', () => {
    checkOnnx(model, { externalSize });
    checkOnnx(encodeOnnx(model), { externalSize });
    for (const [op, { programs }] of Object.entries(opCases))
      for (const opCase of programs) checkOnnx(emitOnnx(caseProgram(op, opCase)));
  });

  it('holds a graph against what it should be called, take and give', () => {
    const signature = {
      name: 'checked',
      inputs: [
        { name: 'x', dtype: 'float', shape: ['n', 3] },
        { name: 'yes', dtype: 'bool', shape: ['n', 1] },
      ],
      outputs: [
        { name: 'y', dtype: 'float', shape: ['n', 3] },
        { name: 'total', dtype: 'float', shape: ['n', 1] },
        { name: 'best', dtype: 'int', shape: ['n', 'k'] },
        { name: 'shifted', dtype: 'float', shape: ['n', 3] },
      ],
    } as const;
    const check = (other: Partial<GraphForm>) => () =>
      checkOnnx(model, { signature: { ...signature, ...other } });
    const [x, yes] = signature.inputs;
    const wrong: readonly (readonly [Partial<GraphForm>, RegExp])[] = [
      [{ name: 'other' }, /its name: expected other, got checked/],
      [{ inputs: [yes, x] }, /its inputs: expected yes bool\["n", 1\]; x float/],
      [{ inputs: [x] }, /its inputs/],
      [{ inputs: [{ ...x, dtype: 'int' }, yes] }, /its inputs: expected x int32/],
      [
        { inputs: [{ ...x, shape: ['n', '3'] }, yes] },
        /expected x float\["n", "3"\].* got x float\["n", 3\]/,
      ],
      [{ outputs: signature.outputs.slice(1) }, /its outputs/],
    ];
    for (const [other, message] of wrong) expect(check(other)).toThrow(message);
    check({})();
  });

  it('knows no operator that is never emitted', () => {
    const emitted = new Set(
      Object.entries(opCases).flatMap(([op, { programs }]) =>
        programs.flatMap((each) => emitModel(caseProgram(op, each)).graph!.node.map(({ opType }) => opType)),
      ),
    );
    for (const { opType } of emitSwitchModel(sampleSwitch).graph!.node) emitted.add(opType);
    expect([...emitted].sort()).toEqual([...operatorRules.keys()].sort());
  });

  for (const [what, [message, change]] of Object.entries(corruptions))
    it(`refuses ${what}`, () => {
      const refuse = (file: Uint8Array | OnnxModel): FuzzError => {
        try {
          checkOnnx(file, { externalSize });
        } catch (error) {
          if (error instanceof FuzzError) return error;
          throw error;
        }
        throw new Error('it was accepted');
      };
      const error = refuse(changed(change));
      expect(error.code).toBe('bundle');
      expect(error.toString()).toMatch(message);
      expect(refuse(encodeOnnx(changed(change))).toString()).toBe(error.toString());
    });

  it('refuses every file that was cut short, and does not crash on any changed byte', () => {
    const bytes = encodeOnnx(model);
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => checkOnnx(bytes.subarray(0, length)), `${length} bytes`).toThrow(FuzzError);
    for (let at = 0; at < bytes.length; at += 1) {
      const damaged = Uint8Array.from(bytes);
      damaged[at]! ^= 0x11;
      try {
        checkOnnx(damaged, { externalSize });
      } catch (error) {
        expect(error).toBeInstanceOf(FuzzError);
      }
    }
    expect(() => decodeOnnx(new TextEncoder().encode('<!doctype html><p>not found'))).toThrow(
      'not an ONNX file',
    );
    expect(() => decodeOnnx(new Uint8Array())).toThrow('there is no model in it');
  });
});
