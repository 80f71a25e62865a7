import { decodeOnnx } from '../proto/codec.ts';
import { type ElementType, elementTypeNamed } from '../proto/element-type.ts';
import type { OnnxGraph, OnnxModel, OnnxValueInfo } from '../proto/model.ts';
import { irVersion, opsetVersion } from '../proto/versions.ts';
import { checkNode } from './check-node.ts';
import { checkTensor, type ExternalSize } from './check-tensor.ts';
import { wrong } from './wrong.ts';

/** What the checker is told beside the file. */
export interface CheckOptions {
  /** How large a file of weights is; without it external data are not compared with their files. */
  readonly externalSize?: ExternalSize;
}

/**
 * Checks that a file is a graph such as `emitOnnx` writes, down to the kind of numbers of every value.
 *
 * It does not follow shapes through the graph: onnxruntime does that when it opens the file.
 * Throws: 'bundle' for the first thing that is wrong; its path names the node, tensor or value.
 */
export function checkOnnx(file: Uint8Array | OnnxModel, options: CheckOptions = {}): void {
  const model = file instanceof Uint8Array ? decodeOnnx(file) : file;
  if (model.irVersion !== irVersion)
    wrong('model', `expected IR version ${irVersion}, got ${model.irVersion}`);
  const opsets = model.opsetImport.map(({ domain = '', version }) => `${domain || 'ai.onnx'} ${version}`);
  if (opsets.join() !== `ai.onnx ${opsetVersion}`)
    wrong('model', `expected the operators ai.onnx ${opsetVersion}, got ${opsets.join(', ') || 'none'}`);
  const keys = model.metadataProps.map(({ key = '' }) => key);
  noneTwice(keys, (key) => `metadata "${key}"`);
  if (model.graph === undefined) wrong('model', 'there is no graph');
  checkGraph(model.graph, options);
}

function checkGraph(graph: OnnxGraph, { externalSize }: CheckOptions): void {
  if (!graph.name) wrong('graph', 'it has no name');
  if (graph.output.length === 0) wrong('graph', 'it has no outputs');

  const values = new Map<string, ElementType>();
  const declare = (name: string, type: ElementType, path: string): void => {
    if (name === '') wrong(path, 'its value has no name');
    if (values.has(name)) wrong(path, `the value "${name}" exists already`);
    values.set(name, type);
  };
  for (const info of graph.input) {
    const path = `input "${info.name}"`;
    declare(info.name ?? '', checkType(info, path), path);
  }
  for (const tensor of graph.initializer) {
    const path = `initializer "${tensor.name}"`;
    checkTensor(tensor, path, externalSize);
    declare(tensor.name ?? '', elementTypeNamed(tensor.dataType)!, path);
  }

  const produced = new Set(graph.node.flatMap(({ output }) => output));
  noneTwice(
    graph.node.map(({ name = '' }) => name),
    (name) => `node "${name}"`,
  );
  for (const node of graph.node) {
    const path = `node "${node.name}" (${node.opType})`;
    const inputs = node.input.map((name) => {
      if (name === '') return undefined;
      if (!values.has(name))
        wrong(
          path,
          `its input "${name}" ${produced.has(name) ? 'is produced later' : 'is produced by nobody'}`,
        );
      return values.get(name);
    });
    checkNode(node, inputs, path).forEach((type, i) => {
      declare(node.output[i]!, type, path);
    });
  }

  checkDeclared(graph.output, 'output', values);
  checkDeclared(graph.valueInfo, 'value', values);
}

/** Checks that values that are announced exist and hold the numbers that are announced. */
function checkDeclared(
  infos: readonly OnnxValueInfo[],
  kind: string,
  values: ReadonlyMap<string, ElementType>,
): void {
  noneTwice(
    infos.map(({ name = '' }) => name),
    (name) => `${kind} "${name}"`,
  );
  for (const info of infos) {
    const path = `${kind} "${info.name}"`;
    const announced = checkType(info, path);
    const got = values.get(info.name ?? '') ?? wrong(path, 'it is produced by nobody');
    if (got !== announced) wrong(path, `it is announced as ${announced}, but is ${got}`);
  }
}

function checkType({ type }: OnnxValueInfo, path: string): ElementType {
  const tensor = type?.tensorType;
  const element = elementTypeNamed(tensor?.elemType);
  if (element === undefined) wrong(path, `FuzzQE does not use data type ${tensor?.elemType}`);
  if (tensor?.shape === undefined) wrong(path, 'it has no shape');
  for (const { dimValue, dimParam } of tensor.shape.dim)
    if (dimParam === undefined ? dimValue === undefined || dimValue < 0 : dimParam === '')
      wrong(path, `an extent is ${dimValue ?? 'neither a number nor a name'}`);
  return element;
}

function noneTwice(names: readonly string[], path: (name: string) => string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) wrong(path(name), 'it occurs twice');
    seen.add(name);
  }
}
