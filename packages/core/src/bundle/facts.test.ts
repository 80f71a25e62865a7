import { expect, it } from 'vitest';
import { createKnowledgeGraph } from '../kg/knowledge-graph.ts';
import { decodeFacts, encodeFacts, graphDigest } from './facts.ts';
import { sha256Hex } from './platform.ts';
import { utf8 } from './testing/sample-bundle.ts';

it('writes facts as little-endian int32 and reads them from anywhere in a buffer', () => {
  const facts = Int32Array.of(1, 2, 258, 0, 0, 2 ** 31 - 1);
  const bytes = encodeFacts(facts);
  expect([...bytes.subarray(0, 12)]).toEqual([1, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0]);
  const shifted = new Uint8Array(bytes.length + 1);
  shifted.set(bytes, 1);
  expect(decodeFacts(shifted.subarray(1))).toEqual(facts);
  expect(decodeFacts(new Uint8Array())).toEqual(new Int32Array());
});

it('refuses facts that are cut off', () => {
  expect(() => decodeFacts(new Uint8Array(13))).toThrow('expected triples of 12 bytes, got 13 bytes');
});

it('digests as the standard says', async () => {
  expect(await sha256Hex(utf8('abc'))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

it('digests a graph by its facts, in whatever order and direction they were given', async () => {
  const graph = (...triples: number[]) =>
    createKnowledgeGraph({ entityCount: 3, relationCount: 4, triples: Int32Array.from(triples) });
  const digest = await graphDigest(graph(0, 0, 1, 1, 2, 2));
  expect(digest).toBe(await sha256Hex(encodeFacts(Int32Array.of(0, 0, 1, 1, 2, 2))));
  expect(await graphDigest(graph(2, 3, 1, 0, 0, 1, 0, 0, 1))).toBe(digest);
  expect(await graphDigest(graph(0, 0, 1, 1, 2, 0))).not.toBe(digest);
});
