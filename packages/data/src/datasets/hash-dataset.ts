import { createHash } from 'node:crypto';
import type { Dataset } from './dataset.ts';

/**
 * Names the content of a dataset: the SHA-256, in hex, of its keys, its split facts and its rejected links.
 *
 * Two datasets with one hash give the same ids, the same questions and the same answers; labels and texts may differ.
 *
 * @example
 * const digest = hashDataset(dataset); // 64 digits
 */
export function hashDataset({ vocabulary, train, valid, test, rejected }: Dataset): string {
  const hash = createHash('sha256');
  const { entityCount, relationCount } = vocabulary;
  hash.update(`fuzzqe dataset 1\n${entityCount} ${relationCount}\n`);
  for (let id = 0; id < entityCount; id++) hash.update(`${JSON.stringify(vocabulary.entity(id).key)}\n`);
  for (let id = 0; id < relationCount; id += 2)
    hash.update(`${JSON.stringify(vocabulary.relation(id).key)}\n`);
  // Without rejected links the hash is that of names and facts alone.
  const judged = rejected === undefined || rejected.length === 0 ? [] : [rejected];
  for (const part of [train, valid, test, ...judged]) {
    hash.update(`${part.length / 3}\n`);
    // Little-endian, as on every machine that onnxruntime-node is built for.
    hash.update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  }
  return hash.digest('hex');
}
