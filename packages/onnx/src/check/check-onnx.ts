import { decodeOnnx } from '../proto/codec.ts';
import { irVersion, type OnnxModel, opsetVersion } from '../proto/model.ts';
import { checkGraph } from './check-graph.ts';
import type { ExternalSize } from './check-tensor.ts';
import { expectUnique, invalid } from './invalid.ts';

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
    invalid('model', `expected IR version ${irVersion}, got ${model.irVersion}`);
  const opsets = model.opsetImport.map(({ domain = '', version }) => `${domain || 'ai.onnx'} ${version}`);
  if (opsets.join() !== `ai.onnx ${opsetVersion}`)
    invalid('model', `expected the operators ai.onnx ${opsetVersion}, got ${opsets.join(', ') || 'none'}`);
  const keys = model.metadataProps.map(({ key = '' }) => key);
  expectUnique(keys, (key) => `metadata "${key}"`);
  if (model.graph === undefined) invalid('model', 'there is no graph');
  checkGraph(model.graph, options.externalSize);
}
