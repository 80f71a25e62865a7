import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readManifest } from '@fuzzqe/bundle';
import { openEngine, type SessionFactory } from '@fuzzqe/engine';
import { decodeOnnx, encodeOnnx, type OnnxGraph, type OnnxModel, type OnnxNode } from '@fuzzqe/onnx';
import { seal, tinyBundle } from '@fuzzqe/parity/testing';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onRuntime, runtimeNames } from '../fixtures/runtimes.ts';

const path = 'models/fp32/negation.onnx';
let whole: string;
let folder: string;
beforeAll(async () => {
  whole = (await tinyBundle()).directory;
});
afterAll(() => rm(whole, { recursive: true, force: true }));

/** Opens a bundle with another file in the place of the negation, and digests that are right. */
async function withGraph<T>(
  change: (file: Uint8Array) => Promise<Uint8Array> | Uint8Array,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-hostile-'));
  try {
    await cp(whole, folder, { recursive: true });
    await writeFile(join(folder, path), await change(await readFile(join(folder, path))));
    await seal(folder);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const changed = (file: Uint8Array, change: (model: OnnxModel) => OnnxModel): Uint8Array =>
  encodeOnnx(change(decodeOnnx(file)));
const inGraph =
  (change: (graph: OnnxGraph) => Partial<OnnxGraph>) =>
  (file: Uint8Array): Uint8Array =>
    changed(file, (model) => ({ ...model, graph: { ...model.graph!, ...change(model.graph!) } }));

const int64 = (name: string, value: bigint): OnnxGraph['initializer'][number] => ({
  name,
  dims: [],
  dataType: 7,
  rawData: new Uint8Array(BigInt64Array.of(value).buffer),
  externalData: [],
});
const value = (name: string, elemType: number, ...dim: number[]): OnnxGraph['input'][number] => ({
  name,
  type: { tensorType: { elemType, shape: { dim: dim.map((dimValue) => ({ dimValue })) } } },
});
const node = (opType: string, input: string[], output: string[], rest: Partial<OnnxNode> = {}): OnnxNode => ({
  opType,
  input,
  output,
  name: `${opType} ${output}`,
  attribute: [],
  ...rest,
});

/** A negation beside which a loop turns, with an output of its own, since a runtime leaves out what nobody reads. */
const loop = (turns: bigint) =>
  inGraph(({ node: nodes, initializer, output }) => ({
    initializer: [...initializer, int64('turns', turns), int64('zero', 0n)],
    node: [
      ...nodes,
      node('Loop', ['turns', '', 'zero'], ['last'], {
        attribute: [
          {
            name: 'body',
            type: 5,
            floats: [],
            ints: [],
            g: {
              name: 'body',
              node: [node('Identity', ['go'], ['on']), node('Add', ['sum', 'sum'], ['next'])],
              initializer: [],
              input: [value('turn', 7), value('go', 9), value('sum', 7)],
              output: [value('on', 9), value('next', 7)],
              valueInfo: [],
            },
          },
        ],
      }),
      node('Cast', ['last'], ['turned'], {
        attribute: [{ name: 'to', i: 1, type: 2, floats: [], ints: [] }],
      }),
    ],
    output: [...output, value('turned', 1)],
  }));

const withoutLast = inGraph(({ output }) => ({ output: output.slice(0, -1) }));

const external = (entries: Readonly<Record<string, string>>) =>
  inGraph(({ initializer }) => ({
    initializer: [
      ...initializer,
      {
        name: 'far',
        dims: [1],
        dataType: 1,
        externalData: Object.entries(entries).map(([key, value]) => ({ key, value })),
        dataLocation: 1,
      },
    ],
  }));
const bytes =
  (...more: number[]) =>
  (file: Uint8Array): Uint8Array =>
    Uint8Array.of(...file, ...more);
const stated =
  (key: string, text: string) =>
  (file: Uint8Array): Uint8Array =>
    changed(file, (model) => ({
      ...model,
      metadataProps: model.metadataProps.map((each) => (each.key === key ? { key, value: text } : each)),
    }));
const another = (name: string) => (): Promise<Uint8Array> =>
  readFile(join(folder, `models/fp32/${name}.onnx`));

const hostile: Readonly<
  Record<string, readonly [RegExp, (file: Uint8Array) => Promise<Uint8Array> | Uint8Array]>
> = {
  'a loop of 2^62 turns': [/its outputs: expected embedding/, loop(2n ** 62n)],
  'a loop that nobody reads': [/operator "Loop"/, (file) => withoutLast(loop(2n ** 62n)(file))],
  'operators of another domain': [
    /operator "com.microsoft.Gelu"/,
    inGraph(({ node: nodes, input }) => ({
      node: [...nodes, node('Gelu', [input[0]!.name!], ['g'], { domain: 'com.microsoft' })],
    })),
  ],
  'a set of operators of another domain': [
    /expected the operators ai.onnx 21/,
    (file) =>
      changed(file, (model) => ({
        ...model,
        opsetImport: [...model.opsetImport, { domain: 'com.microsoft', version: 1 }],
      })),
  ],
  'another version of the operators': [
    /expected the operators ai.onnx 21/,
    (file) => changed(file, (model) => ({ ...model, opsetImport: [{ domain: '', version: 20 }] })),
  ],
  // ModelProto.functions
  'functions of its own': [/the field 25/, bytes(0xca, 0x01, 0x00)],
  // ModelProto.graph once more: runtimes make one graph of both.
  'a second graph': [/ModelProto.graph stands twice/, bytes(0x3a, 0x00)],
  'numbers from a file of the system': [
    /the path "\/etc\/hostname" cannot be used/,
    external({ location: '/etc/hostname', offset: '0', length: '4' }),
  ],
  'numbers from another file of the bundle': [
    /there is no file "golden.json"/,
    external({ location: 'golden.json', offset: '0', length: '4' }),
  ],
  'the graph of another operator': [/its name: expected negation, got conjunction/, another('conjunction')],
  'the graph of a structure': [/its name: expected negation, got 2i/, another('2i')],
  'a graph of another model': [
    /fuzzqe.model: expected .*"logic":"product".*, got .*"logic":"godel"/,
    async (file) => {
      const { model } = await readManifest(folderSource(whole));
      return stated('fuzzqe.model', JSON.stringify({ ...model, logic: 'godel' }))(file);
    },
  ],
  'a graph of another profile': [/fuzzqe.profile: expected fp32, got int8/, stated('fuzzqe.profile', 'int8')],
  'an input of another shape': [
    /its inputs: expected operand float\["batch", 16\], got operand float\["batch", 8\]/,
    inGraph(({ input }) => ({
      input: [
        {
          ...input[0]!,
          type: { tensorType: { elemType: 1, shape: { dim: [{ dimParam: 'batch' }, { dimValue: 8 }] } } },
        },
      ],
    })),
  ],
  'an output that is another kind of number': [
    /its outputs: expected embedding float/,
    inGraph(({ output }) => ({
      output: [{ ...output[0]!, type: { tensorType: { ...output[0]!.type!.tensorType!, elemType: 6 } } }],
    })),
  ],
  'something that is no graph': [/not an ONNX file/, () => new TextEncoder().encode('no graph')],
  'nothing at all': [/not an ONNX file/, () => new Uint8Array()],
};

describe('a graph that FuzzQE does not write, under right digests', () => {
  it.each(Object.entries(hostile))('is refused before a runtime gets it: %s', (_, [message, change]) =>
    withGraph(change, async (directory) => {
      const opened: string[] = [];
      const { source } = onRuntime('onnxruntime-node cpu', directory);
      const checked = await openEngine({ source, sessions: noting(opened) });
      await expect(checked.warmUp('embedding')).rejects.toMatchObject({
        code: 'bundle',
        path,
        message: expect.stringMatching(message),
      });
      expect(opened).not.toContain(path);
    }),
  );

  it.each(runtimeNames)('is refused with %s, whether files are compared or not', (name) =>
    withGraph(loop(2n ** 62n), async (directory) => {
      for (const verify of [true, false]) {
        const engine = await openEngine({ ...onRuntime(name, directory), verify });
        await expect(engine.warmUp('embedding')).rejects.toMatchObject({ code: 'bundle', path });
        await engine.close();
      }
    }),
  );

  // The control: without the check the runtime opens and runs it, so 2^62 turns would never end.
  it.each(runtimeNames)('would run in %s, turn by turn', (name) =>
    withGraph(loop(40n), async (directory) => {
      const { source, sessions } = onRuntime(name, directory);
      const { profiles } = await readManifest(source);
      const session = await sessions.open(profiles['fp32']!.operators.negation, source);
      const outputs = await session.run({ operand: { dims: [1, 16], data: new Float32Array(16) } });
      expect(Object.keys(outputs)).toContain('turned');
      await session.close();
    }),
  );

  it('is another than what it was: the bundle itself opens', async () => {
    const engine = await openEngine({
      source: folderSource(whole),
      sessions: nodeSessions(whole, { threads: 1 }),
    });
    await engine.warmUp();
    await engine.close();
  });
});

/** A runtime that opens nothing, and notes what it was asked to. */
function noting(opened: string[]): SessionFactory {
  return {
    runtime: 'none',
    async open({ path }, source) {
      await source.verify?.(path);
      opened.push(path);
      return { run: () => Promise.reject(new Error('nothing runs')), close: async () => {} };
    },
  };
}
