import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { presets } from '@fuzzqe/train';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawTrial, trialCount } from './draw-trial.ts';
import { createSweep } from './open-sweep.ts';
import { readSweepFile, type SweepFile } from './sweep-file.ts';

const base = presets.countries.training;
const data = { name: 'tiny', sha256: '0', queries: {} };
const sweepOf = (changes: Partial<SweepFile>): SweepFile => ({
  ...{ strategy: 'random', trials: 200, seed: 1, budget: {} },
  objective: { metric: 'mrr', direction: 'maximize' },
  parameters: { 'optimiser.learningRate': { logUniform: [0.001, 0.1] } },
  ...changes,
});
const drawn = (sweep: SweepFile, path: string): unknown[] =>
  Array.from({ length: trialCount(sweep) }, (_, trial) => drawTrial(sweep, trial)[path]);

describe('trials that are drawn', () => {
  it('lie within their ranges, ends included, and are whole where they have to be', () => {
    const ranges = fc
      .tuple(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), fc.double({ min: 1, max: 1e3, noNaN: true }))
      .map(([least, factor]) => [least, least * factor]);
    fc.assert(
      fc.property(ranges, fc.nat(), fc.nat(), (range, seed, trial) => {
        const [least, most] = [range[0]!, range[1]!];
        const whole = [Math.floor(-least), Math.ceil(most)];
        const parameters = { a: { uniform: range }, b: { logUniform: range }, c: { integer: whole } };
        const { a, b, c } = drawTrial(sweepOf({ parameters, seed }), trial) as Record<string, number>;
        for (const value of [a!, b!]) expect(value >= least && value <= most).toBe(true);
        expect(Number.isInteger(c) && c! >= whole[0]! && c! <= whole[1]!).toBe(true);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('spread evenly: uniform in the value, log-uniform in its logarithm, and all choices and integers occur alike', () => {
    const many = sweepOf({
      trials: 4000,
      parameters: {
        even: { uniform: [1, 100] },
        log: { logUniform: [1, 100] },
        whole: { integer: [1, 4] },
        choice: { choices: ['x', 'y'] },
      },
    });
    const share = (path: string, is: (value: never) => boolean): number =>
      drawn(many, path).filter((value) => is(value as never)).length / 4000;
    // Four deviations of a share of 4000 draws are 0.032.
    expect(share('even', (x: number) => x < 50.5)).toBeCloseTo(0.5, 1);
    expect(share('log', (x: number) => x < 10)).toBeCloseTo(0.5, 1);
    // The control: an even draw would have a tenth of them there.
    expect(share('even', (x: number) => x < 10)).toBeLessThan(0.15);
    for (const value of [1, 2, 3, 4]) expect(share('whole', (x: number) => x === value)).toBeCloseTo(0.25, 1);
    expect(share('choice', (x: string) => x === 'x')).toBeCloseTo(0.5, 1);
  });

  it('are the same for the same seed and number, others for others, and do not move when a parameter is added', () => {
    const path = 'optimiser.learningRate';
    const one = sweepOf({});
    expect(drawn(one, path)).toEqual(drawn(sweepOf({}), path));
    expect(new Set(drawn(one, path)).size).toBeGreaterThan(190);
    expect(drawn(sweepOf({ seed: 2 }), path)).not.toEqual(drawn(one, path));
    const more = { 'dropout.input': { uniform: [0, 0.5] }, ...one.parameters };
    expect(drawn(sweepOf({ parameters: more }), path)).toEqual(drawn(one, path));
    // Written down: other machines and versions draw these, too.
    expect(drawn(one, path).slice(0, 3)).toMatchInlineSnapshot(`
      [
        0.00176936,
        0.00106661,
        0.0231819,
      ]
    `);
  });

  it('are each point of a grid once, the last parameter fastest', () => {
    const grid = sweepOf({
      strategy: 'grid',
      trials: undefined as never,
      parameters: {
        a: { choices: ['x', 'y'] },
        b: { integer: [1, 2] },
        c: { logUniform: [1, 100], points: 3 },
      },
    });
    const points = Array.from({ length: trialCount(grid) }, (_, trial) =>
      Object.values(drawTrial(grid, trial)),
    );
    expect(points.slice(0, 4)).toEqual([
      ['x', 1, 1],
      ['x', 1, 10],
      ['x', 1, 100],
      ['x', 2, 1],
    ]);
    expect(new Set(points.map(String)).size).toBe(12);
    expect(() => trialCount({ ...grid, trials: 13 })).toThrow(/12 points, got 13/);
  });

  it('change the configuration at their paths and nothing else', () => {
    const sweep = createSweep(
      sweepOf({
        trials: 3,
        parameters: { 'batch.2i': { choices: [7] }, seed: { integer: [5, 5] } },
        budget: { steps: 9 },
      }),
      base,
      data,
    );
    const expected = { ...base, seed: 5, steps: 9, batch: { ...base.batch, '2i': 7 } };
    expect(sweep.configOf(2)).toEqual(expected);
  });
});

describe('a sweep file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-sweep-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const read = async (value: unknown): Promise<number> => {
    const path = join(folder, 'sweep.json');
    await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value));
    return createSweep(await readSweepFile(path), base, data, path).trials;
  };
  const plain = { trials: 3, parameters: { 'dropout.input': { uniform: [0, 0.3] } } };

  it('is read with what it leaves out', async () => {
    expect(await read({ $schema: 'x', ...plain, pruning: { kind: 'median' } })).toBe(3);
  });

  it.each([
    ['{', /not JSON/],
    [{ ...plain, trial: 3 }, /\$\.trial: expected no such key.*trials/],
    [{ ...plain, trials: 0 }, /\$\.trials: expected an integer in \[1, 10000\], got 0/],
    [{ parameters: plain.parameters }, /\$\.trials: expected how many/],
    [{ trials: 3, parameters: {} }, /\$\.parameters: expected at least one/],
    [
      { trials: 3, parameters: { seed: { choices: [] } } },
      /\$\.parameters\.seed\.choices: expected an array with a length >= 1|length in \[1, 1000\], got length 0/,
    ],
    [
      { trials: 3, parameters: { seed: { integer: [3, 1] } } },
      /parameters\.seed\.integer: expected the least and then the most, got \[3, 1\]/,
    ],
    [{ trials: 3, parameters: { seed: { integer: [1] } } }, /seed\.integer: expected an array with a length/],
    [
      { trials: 3, parameters: { seed: { logUniform: [0, 1] } } },
      /logUniform\[0\]: expected a number > 0, got 0/,
    ],
    [
      { trials: 3, parameters: { seed: {} } },
      /seed: expected one of choices, uniform, logUniform, integer, got none/,
    ],
    [{ trials: 3, parameters: { seed: { choices: [1], integer: [1, 2] } } }, /got choices and integer/],
    [
      { trials: 3, parameters: { 'dropout.inptu': { uniform: [0, 0.3] } } },
      /dropout\.inptu: expected no such key.*input/,
    ],
    [{ trials: 3, parameters: { 'drop.input': { uniform: [0, 0.3] } } }, /there is no "drop\.input"/],
    [{ trials: 3, parameters: { 'steps.x': { uniform: [0, 0.3] } } }, /there is no "steps\.x"/],
    [{ trials: 3, parameters: { '__proto__.x': { choices: [1] } } }, /there is no "__proto__\.x"/],
    [
      { trials: 3, parameters: { 'dropout.input': { uniform: [0, 3] } } },
      /dropout\.input: expected a number in \[0, 0\.95\]/,
    ],
    [
      { trials: 3, parameters: { loss: { choices: [{}] }, 'loss.name': { choices: ['bpr'] } } },
      /outside of "loss"/,
    ],
    [{ ...plain, strategy: 'grid' }, /points: expected how many the grid has/],
    [{ strategy: 'grid', parameters: { seed: { integer: [0, 1e9] } } }, /expected at most 10000/],
    [
      { ...plain, budget: { steps: 3 }, parameters: { steps: { integer: [1, 2] } } },
      /budget\.steps: expected none/,
    ],
    [{ ...plain, pruning: { kind: 'medain' } }, /pruning\.kind: expected one of/],
    [{ ...plain, objective: { metric: 'loss' } }, /objective\.metric: expected one of/],
  ])('is refused as %j', async (value, message) => {
    await expect(read(value)).rejects.toMatchObject({ code: 'config' });
    await expect(read(value)).rejects.toThrow(message);
  });
});
