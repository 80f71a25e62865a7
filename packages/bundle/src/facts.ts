import { FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/model';
import { bundlePaths } from './manifest.ts';
import { sha256Hex } from './platform.ts';

/**
 * Facts as `facts.bin` holds them: little-endian int32, in the order given; where numbers lie so in memory, that memory.
 *
 * Shapes: [3n] → 12n bytes.
 */
export function encodeFacts(triples: Int32Array): Uint8Array {
  if (isLittleEndian) return new Uint8Array(triples.buffer, triples.byteOffset, triples.byteLength);
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
 * Shapes: 12n bytes → [3n], h, r, t, h, r, t, …, with n ≥ 1; the memory of `bytes` where its alignment and byte order allow it, else a
 * copy. Ranges: h, t in [0, |E|), r even in [0, |R|); ascending, none twice.
 *
 * @throws FuzzError `bundle`: bytes that are anything else.
 * @example
 * const triples = decodeFacts(bytes, { entities: 3, relations: 2 });
 */
export function decodeFacts(
  bytes: Uint8Array,
  { entities, relations }: Pick<ModelConfig, 'entities' | 'relations'>,
): Int32Array {
  if (bytes.length === 0 || bytes.length % 12 !== 0)
    throw damaged(`expected one or more triples of 12 bytes, got ${bytes.length} bytes`);
  const triples = littleEndian(bytes);
  let lastHead = -1;
  let lastRelation = 0;
  let lastTail = 0;
  for (let i = 0; i < triples.length; i += 3) {
    const head = triples[i]!;
    const relation = triples[i + 1]!;
    const tail = triples[i + 2]!;
    const isInRange = head >= 0 && head < entities && tail >= 0 && tail < entities;
    if (!isInRange) {
      const entity = head >= 0 && head < entities ? tail : head;
      throw damaged(`fact ${i / 3}: expected entities in [0, ${entities}), got ${entity}`);
    }
    if (relation < 0 || relation >= relations || relation % 2 === 1)
      throw damaged(`fact ${i / 3}: expected an even relation in [0, ${relations}), got ${relation}`);
    const step = head - lastHead || relation - lastRelation || tail - lastTail;
    if (step <= 0) throw damaged(`fact ${i / 3}: expected facts in ascending order, each once`);
    lastHead = head;
    lastRelation = relation;
    lastTail = tail;
  }
  return triples;
}

/** Numbers of four bytes, where they lie if that can be: bytes that begin anywhere are no array of numbers. */
function littleEndian(bytes: Uint8Array): Int32Array {
  if (isLittleEndian && bytes.byteOffset % 4 === 0)
    return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const copy = new Uint8Array(bytes);
  const numbers = new Int32Array(copy.buffer, 0, bytes.length / 4);
  if (isLittleEndian) return numbers;
  const view = new DataView(copy.buffer);
  return numbers.map((_, i) => view.getInt32(4 * i, true));
}

const isLittleEndian = new Uint8Array(Int32Array.of(1).buffer)[0] === 1;

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
