import type { DType, Shape } from '@fuzzqe/core/tensor';
import { elementTypeNamed, elementTypeOf } from '../proto/element-type.ts';
import { irVersion, type OnnxModel, type OnnxValueInfo, opsetVersion } from '../proto/model.ts';
import { readStrictly } from '../proto/read-strictly.ts';
import { checkGraph } from './check-graph.ts';
import type { ExternalSize } from './check-tensor.ts';
import { expectUnique, invalid } from './invalid.ts';

/** What the checker is told in addition to the file. */
export interface CheckOptions {
  /** How large a file of weights is; without it external data are not compared with their files. */
  readonly externalSize?: ExternalSize;
  /** What the graph must be called, take and give; without it any name and any values will do. */
  readonly signature?: GraphForm;
}

/** The name, the kind of numbers and the shape of an input or output. */
export interface ValueForm {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: Shape;
}

/** What a graph is called, takes and gives, in the order of its file. */
export interface GraphForm {
  readonly name: string;
  readonly inputs: readonly ValueForm[];
  readonly outputs: readonly ValueForm[];
}

/**
 * Checks that a file is a graph such as `emitOnnx` writes, down to the kind of numbers of every value: no operator, no
 * field and no file of numbers that it does not know, so that a file from anywhere can be given to a runtime.
 *
 * It does not follow shapes through the graph: onnxruntime does that when it opens the file.
 *
 * @throws FuzzError `bundle`: the first thing that is wrong; its path names the node, tensor or value.
 * @example
 * checkOnnx(bytes);
 */
export function checkOnnx(file: Uint8Array | OnnxModel, options: CheckOptions = {}): void {
  const model = file instanceof Uint8Array ? readStrictly(file) : file;
  if (model.irVersion !== irVersion)
    invalid('model', `expected IR version ${irVersion}, got ${model.irVersion}`);
  const opsets = model.opsetImport.map(({ domain = '', version }) => `${domain || 'ai.onnx'} ${version}`);
  if (opsets.join() !== `ai.onnx ${opsetVersion}`)
    invalid('model', `expected the operators ai.onnx ${opsetVersion}, got ${opsets.join(', ') || 'none'}`);
  const keys = model.metadataProps.map(({ key = '' }) => key);
  expectUnique(keys, (key) => `metadata "${key}"`);
  if (model.graph === undefined) invalid('model', 'there is no graph');
  const { signature, externalSize } = options;
  if (signature !== undefined) {
    const { name, input, output } = model.graph;
    expectForm('its name', signature.name, name ?? '');
    expectForm('its inputs', formOf(signature.inputs), input.map(formOfValue).join('; '));
    expectForm('its outputs', formOf(signature.outputs), output.map(formOfValue).join('; '));
  }
  checkGraph(model.graph, externalSize);
}

function expectForm(what: string, expected: string, got: string): void {
  if (got !== expected) invalid('graph', `${what}: expected ${expected}, got ${got || 'none'}`);
}

const formOf = (tensors: readonly ValueForm[]): string =>
  tensors
    .map(
      ({ name, dtype, shape }) => `${name} ${elementTypeOf[dtype]}[${shape.map(dimensionText).join(', ')}]`,
    )
    .join('; ');

function formOfValue({ name = '', type }: OnnxValueInfo): string {
  const { elemType, shape } = type?.tensorType ?? {};
  const dims = shape?.dim.map(({ dimValue, dimParam }) => dimensionText(dimParam ?? dimValue ?? '')) ?? [];
  return `${name} ${elementTypeNamed(elemType) ?? elemType}[${dims.join(', ')}]`;
}

/** A number, or a name in quotation marks: a dimension that is called 8 is another than one of 8. */
const dimensionText = (dim: number | string): string => (typeof dim === 'number' ? `${dim}` : `"${dim}"`);
