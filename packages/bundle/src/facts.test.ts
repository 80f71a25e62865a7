import { createKnowledgeGraph } from '@fuzzqe/core';
import { expect, it } from 'vitest';
import { decodeFacts, encodeFacts, graphDigest } from './facts.ts';
import { sha256Hex } from './platform.ts';
import { utf8 } from './testing/sample-bundle.ts';

const model = { entities: 2 ** 31 - 1, relations: 260 };

it('writes facts as little-endian int32 and reads them from anywhere in a buffer', () => {
  const facts = Int32Array.of(0, 0, 2 ** 31 - 2, 1, 2, 258);
  const bytes = encodeFacts(facts);
  expect([...bytes.subarray(12)]).toEqual([1, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0]);
  const shifted = new Uint8Array(bytes.length + 1);
  shifted.set(bytes, 1);
  expect(decodeFacts(shifted.subarray(1), model)).toEqual(facts);
});

it.each<[string, readonly number[], string]>([
  ['of an entity below 0', [-1, 0, 1], 'fact 0: expected entities in [0, 5), got -1'],
  ['of an entity beyond the model', [0, 0, 1, 0, 0, 5], 'fact 1: expected entities in [0, 5), got 5'],
  ['of an inverse relation', [0, 1, 1], 'fact 0: expected an even relation in [0, 4), got 1'],
  ['of a relation beyond the model', [0, 4, 1], 'fact 0: expected an even relation in [0, 4), got 4'],
  ['in another order of heads', [1, 0, 0, 0, 0, 0], 'fact 1: expected facts in ascending order'],
  ['in another order of relations', [0, 2, 0, 0, 0, 1], 'fact 1: expected facts in ascending order'],
  ['in another order of tails', [0, 0, 3, 0, 0, 2], 'fact 1: expected facts in ascending order'],
  ['twice', [0, 0, 3, 0, 0, 3], 'fact 1: expected facts in ascending order, each once'],
])('refuses facts %s', (_, triples, message) => {
  const decode = () => decodeFacts(encodeFacts(Int32Array.from(triples)), { entities: 5, relations: 4 });
  expect(decode).toThrow(message);
});

it('refuses facts that are cut off, and none', () => {
  expect(() => decodeFacts(new Uint8Array(13), model)).toThrow('triples of 12 bytes, got 13 bytes');
  expect(() => decodeFacts(new Uint8Array(), model)).toThrow(
    'expected one or more triples of 12 bytes, got 0',
  );
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
