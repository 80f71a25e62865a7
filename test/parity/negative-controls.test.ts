import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Golden, operatorSignature, readGolden, readManifest } from '@fuzzqe/bundle';
import { type StructureName, structureNames, structures } from '@fuzzqe/core/query';
import { add, createProgram, input, scalar } from '@fuzzqe/core/tensor';
import { openEngine, planKinds } from '@fuzzqe/engine';
import { emitOnnx } from '@fuzzqe/onnx';
import { placeGraph, rewriteRows, weightsIn } from '@fuzzqe/parity/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { copyOf } from '../fixtures/built-once.ts';
import { type FixtureBundle, fixtureBundle } from '../fixtures/fixture-bundle.ts';
import { onRuntime, runtimeNames } from '../fixtures/runtimes.ts';
import { failuresOf, parityOf } from './damaged-bundle.ts';

/** What parity would miss if it compared too loosely, or not what it seems to. */
describe.each(runtimeNames)('parity on %s', (runtime) => {
  let bundle: FixtureBundle;
  let golden: Golden;
  beforeAll(async () => {
    bundle = await fixtureBundle('product', 'trained');
    const { source } = onRuntime(runtime, bundle.directory);
    const { k, cases } = await readGolden(source, await readManifest(source), 'fp32');
    // One case a structure shows as well as all of them that a damage is noticed.
    const shown = structureNames.map(
      (name) => cases.find(({ structure, sets }) => structure === name && sets !== null)!,
    );
    golden = { k, cases: shown };
  });
  /** The structures with a golden case that uses any of the relations. */
  const structuresWith = (...relations: readonly number[]): StructureName[] =>
    structureNames.filter((name) =>
      golden.cases.some(
        (entry) => entry.structure === name && entry.relations.some((id) => relations.includes(id)),
      ),
    );
  const rowsIn = (failures: readonly string[]): string[] =>
    failures.map((failure) => failure.slice(0, failure.indexOf(':')));
  /**
   * Expects failures by every kind of plan in these structures and nowhere else; by sets in some of them, since sets of which
   * enough is recorded do not depend on weights.
   */
  const expectRows = (failures: readonly string[], structures: readonly StructureName[]): void => {
    const rows = rowsIn(failures);
    const isSet = (row: string): boolean => row.endsWith(' by sets');
    expect(rows.filter((row) => !isSet(row))).toEqual(
      structures.flatMap((name) => planKinds.map((by) => `${name} by ${by}`)),
    );
    expect(rows).toContain('1p by sets');
    expect(structures.map((name) => `${name} by sets`)).toEqual(expect.arrayContaining(rows.filter(isSet)));
  };
  const firstRelation = (): number => golden.cases.find(({ structure }) => structure === '1p')!.relations[0]!;

  it('passes a copy that nothing was done to', async () => {
    expect(failuresOf(await parityOf(runtime, await copyOf(bundle), golden))).toEqual([]);
  });

  it('fails where one weight is changed, in every structure that uses it, and names case and place', async () => {
    const damaged = await copyOf(bundle);
    const relation = firstRelation();
    const element = 5;
    await rewriteRows(damaged, bundle, 'relationBiases', (rowOf) => ({
      [relation]: rowOf(relation).map((value, i) => (i === element ? value + 0.05 : value)),
    }));
    const failures = failuresOf(await parityOf(runtime, damaged, golden));
    expectRows(failures, structuresWith(relation));
    for (const failure of failures)
      expect(failure).toMatch(/: (?:embedding|degree) at \d+: expected .* got /);
    // A projection's bias moves its own element most: the message of a bare projection says which it was.
    expect(failures[0]).toMatch(new RegExp(`^1p by structure: embedding at ${element}:`));
  });

  it('fails where two relations are swapped, in every structure that uses one of them', async () => {
    const damaged = await copyOf(bundle);
    const one = firstRelation();
    const other = (one + 2) % bundle.config.relations;
    for (const table of ['relationWeights', 'relationBiases'] as const)
      await rewriteRows(damaged, bundle, table, (rowOf) => ({ [one]: rowOf(other), [other]: rowOf(one) }));
    const failures = failuresOf(await parityOf(runtime, damaged, golden));
    expectRows(failures, structuresWith(one, other));
    for (const failure of failures)
      expect(failure).toMatch(/: (?:embedding|degree) at \d+: expected .* got /);
  });

  it('fails where a structure graph drops its negation, and names that structure', async () => {
    const damaged = await copyOf(bundle);
    // 2in without its negation is 2i.
    await placeGraph(damaged, 'models/fp32/2in.onnx', await readFile(join(damaged, 'models/fp32/2i.onnx')));
    expect(failuresOf(await parityOf(runtime, damaged, golden))).toEqual([
      expect.stringMatching(/^2in by structure: embedding at \d+: /),
    ]);
  });

  it('fails where the edge graph is that of another logic, in the structures that join', async () => {
    const damaged = await copyOf(bundle);
    const other = await fixtureBundle('lukasiewicz', 'trained');
    const edge = 'models/fp32/edge.onnx';
    await placeGraph(damaged, edge, await readFile(join(other.directory, edge)));
    expect(rowsIn(failuresOf(await parityOf(runtime, damaged, golden)))).toEqual(
      structureNames.filter((name) => !['1p', '2p', '3p'].includes(name)).map((name) => `${name} by edge`),
    );
  });

  it('fails where the negation operator does nothing, in the structures that have a negation', async () => {
    const damaged = await copyOf(bundle);
    const { name, shape } = operatorSignature(bundle.config, 'negation').inputs[0]!;
    const operand = input(name, 'float', shape);
    const nothing = createProgram({
      name: 'negation',
      inputs: [operand],
      outputs: { embedding: add(operand, scalar(0)) },
    });
    await placeGraph(damaged, 'models/fp32/negation.onnx', emitOnnx(nothing));
    expect(rowsIn(failuresOf(await parityOf(runtime, damaged, golden)))).toEqual(
      structureNames
        .filter((structure) => structures[structure].negation)
        .map((name) => `${name} by operators`),
    );
  });

  it('fails everywhere on the weights of another run, which verification names', async () => {
    const damaged = await copyOf(bundle);
    const other = await fixtureBundle('lukasiewicz', 'trained');
    await copyFile(weightsIn(other.directory), weightsIn(damaged));
    const failures = failuresOf(await parityOf(runtime, damaged, golden));
    expectRows(failures, structureNames);
    await expect(openEngine(onRuntime(runtime, damaged))).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringContaining('models/fp32/weights.bin: altered'),
    });
  });
});
