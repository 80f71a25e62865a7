import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { logicNames } from '@fuzzqe/core/logic';
import { add, createProgram, input, mul, scalar } from '@fuzzqe/core/tensor';
import { decodeOnnx, emitOnnx } from '@fuzzqe/onnx';
import { checkLaws, paperLaws } from '@fuzzqe/parity';
import { expect, it } from 'vitest';
import { copyOf } from '../fixtures/built-once.ts';
import { fixtureBundle } from '../fixtures/fixture-bundle.ts';

const brokenOf = (
  laws: Awaited<ReturnType<typeof checkLaws>>['laws'],
  mode: 'embedding' | 'sets',
): string[] => laws.filter((law) => law[mode]?.broken !== undefined).map(({ numeral }) => numeral);

it.each(logicNames)('the eight laws hold in both modes of a bundle in %s logic', async (logic) => {
  const { directory } = await fixtureBundle(logic, 'blocks');
  const report = await checkLaws({ bundle: directory, choices: 16 });
  expect(report.logic).toBe(logic);
  expect(report.laws.map(({ numeral }) => numeral)).toEqual(paperLaws.map(({ numeral }) => numeral));
  expect(brokenOf(report.laws, 'sets')).toEqual([]);
  // Another negation than 1 − a reverses the order of embeddings, and not always that of scores.
  const mayBreak = report.negationLambda === 0 ? [] : ['VIII'];
  expect(mayBreak).toEqual(expect.arrayContaining(brokenOf(report.laws, 'embedding')));
});

it('a conjunction that is an average breaks two laws by the embedding, with queries and an entity that show it', async () => {
  const directory = await copyOf(await fixtureBundle('product', 'trained'));
  const path = join(directory, 'models/fp32/conjunction.onnx');
  const { metadataProps } = decodeOnnx(await readFile(path));
  const metadata = Object.fromEntries(metadataProps.map(({ key, value = '' }) => [key, value]));
  const [left, right] = [input('left', 'float', ['batch', 32]), input('right', 'float', ['batch', 32])];
  const outputs = { embedding: mul(add(left, right), scalar(0.5)) };
  const program = createProgram({ name: 'conjunction', inputs: [left, right], outputs });
  await writeFile(path, emitOnnx(program, { metadata }));
  const { laws } = await checkLaws({ bundle: directory, choices: 16, verify: false });
  const found = laws.filter(({ embedding }) => embedding?.broken !== undefined);
  expect(found.map(({ numeral }) => numeral)).toEqual(expect.arrayContaining(['I', 'III']));
  expect(brokenOf(laws, 'sets')).toEqual([]);
  const { broken } = found[0]!.embedding!;
  expect(broken!.queries).toHaveLength(2);
  expect(broken!.left).toBeGreaterThan(broken!.right);
});

it('refuses a number of choices that is none', async () => {
  await expect(checkLaws({ bundle: 'nowhere', choices: 0 })).rejects.toThrow('choices: expected an integer');
});
