import { FuzzError } from '../errors.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import { bundlePaths } from './manifest.ts';
import { sha256Hex } from './platform.ts';

/** Facts as `facts.bin` holds them: little-endian int32, in the order given. Shapes: [3n] → 12n bytes. */
export function encodeFacts(triples: Int32Array): Uint8Array {
  const bytes = new Uint8Array(triples.length * 4);
  const view = new DataView(bytes.buffer);
  triples.forEach((value, i) => {
    view.setInt32(i * 4, value, true);
  });
  return bytes;
}

/**
 * The facts in the bytes of `facts.bin`, wherever in their buffer they begin.
 *
 * Shapes: 12n bytes → [3n], h, r, t, h, r, t, …; ids are not checked, `createKnowledgeGraph` does that.
 *
 * @throws FuzzError `bundle`: a length that is not a multiple of 12.
 */
export function decodeFacts(bytes: Uint8Array): Int32Array {
  if (bytes.length % 12 !== 0)
    throw new FuzzError('bundle', `facts: expected triples of 12 bytes, got ${bytes.length} bytes`, {
      path: bundlePaths.facts,
      hint: 'The file is damaged or cut off; export or download the bundle again.',
    });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Int32Array.from({ length: bytes.length / 4 }, (_, i) => view.getInt32(i * 4, true));
}

/** Returns the SHA-256 of the facts of a graph as `facts.bin` holds them, which tells one graph from another. */
export function graphDigest(graph: KnowledgeGraph): Promise<string> {
  return sha256Hex(encodeFacts(graph.forwardTriples()));
}
