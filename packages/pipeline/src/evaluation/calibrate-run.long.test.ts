import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readManifest } from '@fuzzqe/bundle';
import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { createDataset, type Dataset, loadCountries, splitTriples } from '@fuzzqe/data';
import { defaultWeights, weightsOf, writeRules } from '@fuzzqe/evidence';
import { folderSource } from '@fuzzqe/serve';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportRun } from '../export-run.ts';
import { writeUntrainedRun } from '../testing/write-untrained-run.ts';
import { calibrateRun, openCalibration, recordedShareOf, validShare } from './calibrate-run.ts';
import { openRunAsSets } from './candidate-model.ts';
import { readSavedCalibration } from './saved-calibration.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-calibrate-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const countries = loadCountries({ seed: 1 });
const { train } = countries.graphs();
/** Few rules, so that nothing is mined and every call gives the same bytes. */
const someRules = {
  relationCount: train.relationCount,
  rules: [
    { kind: 'path', relation: 0, path: [0, 0], hits: 30, predictions: 40 },
    { kind: 'path', relation: 2, path: [3], hits: 90, predictions: 95 },
  ],
} as const;

async function runOf(name: string, dataset: Dataset = countries, withRules = true): Promise<string> {
  const run = join(folder, name);
  await writeUntrainedRun(run, dataset);
  if (withRules) await writeFile(join(run, 'rules.tsv'), writeRules(someRules, train));
  return run;
}
const withParts = (parts: Partial<Pick<Dataset, 'valid' | 'test'>>): Dataset => {
  const { name, licence, description, vocabulary, valid, test } = countries;
  const kept = { train: countries.train, valid, test, ...parts };
  return createDataset({ name, licence, description, vocabulary, ...kept });
};

describe('a calibration', () => {
  it('fits weights on validation facts, judges degrees on test facts, and is kept', async () => {
    const run = await runOf('whole');
    const heard = new Set<string>();
    const task = { run, dataset: countries, threads: 1, quick: true };
    const { calibration, path } = await calibrateRun({ ...task, onProgress: (what) => heard.add(what) });
    expect(path).toBe(join(run, 'calibration.json'));
    const { fitted, reliability, weights, rules } = calibration;
    expect(fitted!.found).toBeGreaterThan(0);
    expect(fitted!.candidates).toBeGreaterThan(fitted!.links);
    expect(fitted!.knownShare).toBeCloseTo(validShare(countries), 12);
    expect(weights.temperature).not.toBeNull();
    expect(rules.rules).toHaveLength(2);
    expect(reliability!.links.count).toBeGreaterThan(100);
    expect(reliability!.links.ece).toBeLessThan(0.2);
    expect(heard.size).toBe(3);
    const kept = (await readSavedCalibration(run))!;
    expect({ ...kept, weights: null }).toEqual({ ...calibration, weights: null });
    // As text weights have nine digits.
    kept.weights.relations.forEach((weight, i) => {
      expect(Math.abs(weight - weights.relations[i]!)).toBeLessThanOrEqual(
        1e-8 * Math.max(1, Math.abs(weight)),
      );
    });
    // The same input, the same bytes.
    const texts = () =>
      Promise.all(
        ['calibration.json', 'evidence.json', 'rules.tsv'].map((name) => readFile(join(run, name), 'utf8')),
      );
    const before = await texts();
    await calibrateRun(task);
    expect(await texts()).toEqual(before);
    // What is kept is taken, not made again.
    expect(
      await openCalibration({ ...task, onProgress: () => expect.fail('nothing is to be done') }),
    ).toEqual(kept);
  }, 120_000);

  it('comes with the bundle of the run', async () => {
    const run = await runOf('exported');
    const { calibration } = await calibrateRun({ run, dataset: countries, threads: 1, quick: true });
    const directory = join(folder, 'bundle');
    await exportRun({
      ...{ run, dataset: countries, directory, calibration, valid: [], name: 'x', metrics: {}, seed: 1 },
      profiles: ['fp32'],
    });
    const { sets } = await readManifest(folderSource(directory));
    const { projection, fitted, reliability } = calibration;
    expect(sets).toEqual({ projection, fitted, reliability });
    for (const name of ['evidence.json', 'rules.tsv'])
      expect(await readFile(join(directory, name), 'utf8')).toBe(await readFile(join(run, name), 'utf8'));
  }, 120_000);

  it('has the default weights with fewer than 20 validation facts, and says so', async () => {
    const fittedOn = async (facts: number, test: Int32Array) => {
      const dataset = withParts({ valid: countries.valid.slice(0, 3 * facts), test });
      const run = await runOf(`valid-${facts}-${test.length}`, dataset);
      return (await calibrateRun({ run, dataset, threads: 1, quick: true })).calibration;
    };
    const none = new Int32Array();
    for (const { fitted, weights } of [await fittedOn(0, none), await fittedOn(19, none)]) {
      expect(fitted).toBeNull();
      const usual = defaultWeights(train.relationCount, { temperature: weights.temperature });
      expect(weights.relations).toEqual(usual.relations);
    }
    expect((await fittedOn(20, none)).fitted).not.toBeNull();
    // Default weights are compared with test facts all the same.
    const { fitted, reliability } = await fittedOn(0, countries.test);
    expect([fitted, reliability !== null]).toEqual([null, true]);
  }, 120_000);

  it('is not judged without test facts, and takes all that was hidden for known', async () => {
    const dataset = withParts({ test: new Int32Array() });
    const run = await runOf('no-test', dataset);
    const { calibration } = await calibrateRun({ run, dataset, threads: 1, quick: true });
    expect(calibration.reliability).toBeNull();
    expect(calibration.fitted!.knownShare).toBe(1);
    // A product has degrees all the same, and so has an evaluation of it.
    const opened = await openRunAsSets(run, {
      ...{ trained: train, facts: dataset.graphs().trainValid, threads: 1 },
      recordedShare: recordedShareOf(dataset),
    });
    const query = { template: { op: 'project', relation: 0, from: { op: 'entity', anchor: 0 } } } as const;
    const scores = await opened.score(
      { ...query, anchors: 1, relations: 1, negation: false } as Parameters<typeof opened.score>[0],
      Int32Array.of(0),
      Int32Array.of(0),
      1,
    );
    await opened.close();
    expect(Array.from(scores as Float32Array).some((degree) => degree > 0 && degree < 1)).toBe(true);
  }, 120_000);

  it('is judged without test facts by validation facts that fitted nothing, where there are enough', async () => {
    const { vocabulary, valid, test } = countries;
    const { train: some, valid: hidden } = splitTriples(countries.graphs().full.forwardTriples(), {
      ...{ entityCount: vocabulary.entityCount, valid: 0.5, test: 0, random: createRandom('halves') },
    });
    expect(hidden.length).toBeGreaterThan(3 * 1000);
    expect(valid.length + test.length).toBeLessThan(3 * 1000);
    const { name, licence, description } = countries;
    const dataset = createDataset({
      ...{ name, licence, description, vocabulary, train: some, valid: hidden, test: new Int32Array() },
    });
    const run = await runOf('halves', dataset);
    const { calibration } = await calibrateRun({ run, dataset, threads: 1, quick: true });
    expect(calibration.fitted!.knownShare).toBeCloseTo(0.5, 1);
    expect(calibration.reliability!.links.count).toBeGreaterThan(100);
  }, 120_000);

  it('mines rules where the run has none, or where they are to be renewed', async () => {
    const dataset = withParts({ test: new Int32Array() });
    const run = await runOf('mined', dataset, false);
    const task = { run, dataset, threads: 1, quick: true, seconds: 1 };
    const { calibration } = await calibrateRun(task);
    expect(calibration.rules.rules.length).toBeGreaterThan(0);
    await writeFile(join(run, 'rules.tsv'), writeRules(someRules, train));
    expect((await calibrateRun(task)).calibration.rules.rules).toHaveLength(2);
    const renewed = await calibrateRun({ ...task, renewRules: true });
    expect(renewed.calibration.rules.rules.length).toBeGreaterThan(2);
  }, 120_000);

  it('stops where it is told to, and keeps nothing', async () => {
    const run = await runOf('stopped');
    const before = await readdir(run);
    for (const stopAt of ['Looking at links of the validation facts', 'Comparing links with test facts']) {
      const controller = new AbortController();
      const task = { run, dataset: countries, threads: 1, quick: true, signal: controller.signal };
      const stopped = calibrateRun({
        ...task,
        onProgress: (what) => {
          if (what === stopAt) controller.abort();
        },
      });
      await expect(stopped, stopAt).rejects.toMatchObject({ code: 'interrupted' });
      expect(await readdir(run)).toEqual(before);
    }
  }, 120_000);

  it('has weights for a relation whose facts are all held out', async () => {
    const heldOut = 2;
    const kept: number[] = [];
    const hidden = [...countries.valid];
    for (let at = 0; at < countries.train.length; at += 3) {
      const fact = countries.train.subarray(at, at + 3);
      (fact[1] === heldOut ? hidden : kept).push(...fact);
    }
    expect(hidden.length).toBeGreaterThan(countries.valid.length + 100);
    const dataset = createDataset({
      ...countries,
      ...{ train: Int32Array.from(kept), valid: Int32Array.from(hidden), test: new Int32Array() },
    });
    const run = await runOf('relation-held-out', dataset);
    const { calibration } = await calibrateRun({ run, dataset, threads: 1, quick: true });
    expect(calibration.fitted!.found).toBeGreaterThan(0);
    const weights = Array.from(weightsOf(calibration.weights, heldOut));
    expect(weights.every(Number.isFinite)).toBe(true);
    expect(weights.some((weight) => weight !== 0)).toBe(true);
  }, 120_000);

  it('refuses rules that were mined from another graph, and keeps nothing', async () => {
    const run = await runOf('foreign-rules', countries, false);
    const rules = join(run, 'rules.tsv');
    const elsewhere = { relationCount: 2, rules: [] };
    const small = createKnowledgeGraph({ entityCount: 3, relationCount: 2, triples: Int32Array.of(0, 0, 1) });
    await writeFile(rules, writeRules(elsewhere, small));
    const before = await readdir(run);
    const task = { run, dataset: countries, threads: 1, quick: true };
    await expect(calibrateRun(task)).rejects.toMatchObject({
      path: `${rules}:1`,
      message: expect.stringContaining('rules are of another graph'),
    });
    expect(await readdir(run)).toEqual(before);
  });

  it('is refused on another graph than the checkpoint was trained on', async () => {
    const run = await runOf('other');
    const dataset = createDataset({
      ...{ name: 'other', licence: 'unknown', description: '', vocabulary: countries.vocabulary },
      ...{ train: countries.train.slice(3), valid: countries.valid, test: countries.test },
    });
    await expect(calibrateRun({ run, dataset, threads: 1 })).rejects.toMatchObject({ code: 'checkpoint' });
  });
});

it('the share of the hidden facts that is known or recorded', () => {
  const of = (valid: number, test: number) => ({
    valid: new Int32Array(3 * valid),
    test: new Int32Array(3 * test),
  });
  expect([validShare(of(1, 3)), recordedShareOf(of(1, 3))]).toEqual([0.25, 0.25]);
  expect([validShare(of(0, 3)), recordedShareOf(of(0, 3))]).toEqual([1, 0]);
  // Without test facts nothing is known to be missing: degrees are those of a product.
  expect([validShare(of(2, 0)), recordedShareOf(of(2, 0))]).toEqual([1, 0]);
});
