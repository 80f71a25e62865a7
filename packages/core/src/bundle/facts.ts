import { FuzzError } from '../errors.ts';
import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import type { ModelConfig } from '../model/config.ts';
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
 * Shapes: 12n bytes → [3n], h, r, t, h, r, t, …, with n ≥ 1. Ranges: h, t in [0, |E|), r even in [0, |R|); ascending, none twice.
 *
 * @throws FuzzError `bundle`: bytes that are anything else.
 */
export function decodeFacts(
  bytes: Uint8Array,
  { entities, relations }: Pick<ModelConfig, 'entities' | 'relations'>,
): Int32Array {
  if (bytes.length === 0 || bytes.length % 12 !== 0)
    throw damaged(`expected one or more triples of 12 bytes, got ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const triples = new Int32Array(bytes.length / 4);
  for (let i = 0; i < triples.length; i += 1) triples[i] = view.getInt32(i * 4, true);
  for (let i = 0; i < triples.length; i += 3) {
    const [head, relation, tail] = [triples[i]!, triples[i + 1]!, triples[i + 2]!];
    const isInRange = head >= 0 && head < entities && tail >= 0 && tail < entities;
    if (!isInRange) {
      const entity = head >= 0 && head < entities ? tail : head;
      throw damaged(`fact ${i / 3}: expected entities in [0, ${entities}), got ${entity}`);
    }
    if (relation < 0 || relation >= relations || relation % 2 === 1)
      throw damaged(`fact ${i / 3}: expected an even relation in [0, ${relations}), got ${relation}`);
    if (i === 0) continue;
    const step = head - triples[i - 3]! || relation - triples[i - 2]! || tail - triples[i - 1]!;
    if (step <= 0) throw damaged(`fact ${i / 3}: expected facts in ascending order, each once`);
  }
  return triples;
}

function damaged(what: string): FuzzError {
  return new FuzzError('bundle', `facts: ${what}`, {
    path: bundlePaths.facts,
    hint: 'The file is damaged, cut off or of another model; export or download the bundle again.',
  });
}

/** Returns the SHA-256 of the facts of a graph as `facts.bin` holds them, which tells one graph from another. */
export function graphDigest(graph: KnowledgeGraph): Promise<string> {
  return sha256Hex(encodeFacts(graph.forwardTriples()));
}
