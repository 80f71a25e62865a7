import { describe, expect, it } from 'vitest';
import { logicNames, logics } from '../logic/index.ts';
import { plainModel } from '../model/config.ts';
import { structures } from '../query/structures.ts';
import { createRandom } from '../random.ts';
import { createProgram, evaluate, input, numeric, scalar } from '../tensor/index.ts';
import { answerSet, type SetOperators } from './answer-set.ts';
import { type Calibration, calibrationValues, defaultCalibration } from './calibration.ts';
import { calibrationInput, linkDegrees, projectedSet } from './link-degrees.ts';
import { membersOf } from './members.ts';

const [links, entities, d] = [3, 7, 4];
const model = { ...plainModel, entities, relations: 2, dimension: d };
const random = createRandom(5);
const numbers = (count: number): number[] =>
  Array.from({ length: count }, () => 0.05 + 0.9 * random.uniform());
const projected = numbers(links * d);
const table = numbers(entities * d);
// Nothing recorded, two tails recorded, everything recorded.
const recorded = [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1];
const counts = [0, 2, 7];
const membership = [1, 0.4, 0.7];

function degreesOf(calibration: Calibration, mask = recorded): Float64Array | Float32Array | Int32Array {
  const nodes = {
    projected: input('projected', 'float', ['m', d]),
    entities: input('table', 'float', [entities, d]),
    recorded: input('recorded', 'float', ['m', entities]),
    counts: input('counts', 'float', ['m', 1]),
  };
  const { input: numbers, numbers: calibrated } = calibrationInput();
  const program = createProgram({
    name: 'links',
    inputs: [...Object.values(nodes), numbers],
    outputs: { degrees: linkDegrees(model, calibrated, nodes) },
  });
  return evaluate(program, {
    calibration: numeric([5], Array.from(calibrationValues(calibration))),
    projected: numeric([links, d], projected),
    table: numeric([entities, d], table),
    recorded: numeric([links, entities], mask),
    counts: numeric([links, 1], counts),
  })['degrees']!.data as Float64Array;
}

/** (9) in plain loops. */
function expectedDegree(calibration: Calibration, row: number, e: number): number {
  if (recorded[row * entities + e] === 1) return 1;
  const cosine = (id: number): number => {
    let [dot, left, right] = [0, 0, 0];
    for (let i = 0; i < d; i += 1) {
      const [x, y] = [projected[row * d + i]!, table[id * d + i]!];
      dot += x * y;
      left += x * x;
      right += y * y;
    }
    return dot / Math.sqrt(left * right);
  };
  let total = 0;
  for (let id = 0; id < entities; id += 1)
    if (recorded[row * entities + id] === 0) total += Math.exp(calibration.temperature * cosine(id));
  const share = Math.exp(calibration.temperature * cosine(e)) / total;
  const expected = calibration.weight * Math.max(counts[row]!, 1) ** calibration.exponent * share;
  return Math.min(calibration.cap, expected);
}

describe('degrees of links', () => {
  const calibration = { ...defaultCalibration, weight: 0.8, exponent: 0.7, temperature: 12 };

  it('are those of the formula, recorded or not', () => {
    const degrees = degreesOf(calibration);
    for (let row = 0; row < links; row += 1)
      for (let e = 0; e < entities; e += 1)
        expect(degrees[row * entities + e]).toBeCloseTo(expectedDegree(calibration, row, e), 6);
    expect(degrees).toContain(Math.fround(calibration.cap));
  });

  it('depend on what is recorded', () => {
    const free = { ...calibration, cap: 0.9, weight: 0.1 };
    const without = degreesOf(
      free,
      recorded.map(() => 0),
    );
    expect(without[8]).toBeLessThan(1);
    expect(without[7]).not.toBeCloseTo(expectedDegree(free, 1, 0), 3);
  });
});

describe('the projection of a set', () => {
  const project = (logic: 'product' | 'godel' | 'lukasiewicz', support: number): readonly number[] => {
    const degrees = input('degrees', 'float', ['m', entities]);
    const members = input('membership', 'float', ['m', 1]);
    const program = createProgram({
      name: 'project',
      inputs: [degrees, members],
      outputs: { set: projectedSet(logics[logic], scalar(support), degrees, members) },
    });
    const values = { degrees: numeric([links, entities], degreesOf(defaultCalibration)) };
    const set = evaluate(program, { ...values, membership: numeric([links, 1], membership) })['set']!;
    return Array.from(set.data);
  };

  it.each(logicNames)(
    'leads to what its members lead to, at most as surely as they are members: %s',
    (logic) => {
      const [best, supported] = [project(logic, 0), project(logic, 0.5)];
      best.forEach((degree, e) => {
        expect(degree).toBeGreaterThanOrEqual(0);
        expect(supported[e]).toBeGreaterThanOrEqual(degree);
        expect(supported[e]).toBeLessThanOrEqual(1);
      });
      // Only the third link has these recorded, and its head is a member to 0.7.
      expect(best[0]).toBeCloseTo(0.7, 12);
    },
  );

  it('adds members by the formula in product logic', () => {
    const degrees = degreesOf(defaultCalibration);
    const led = [0, 1, 2].map((row) => membership[row]! * degrees[row * entities]!);
    const best = Math.max(...led);
    const others = led.reduce((sum, each) => sum + each, 0) - best;
    expect(project('product', 0.5)[0]).toBeCloseTo(1 - (1 - best) * Math.exp(-0.5 * others), 12);
  });
});

describe('the members that a projection takes along', () => {
  const calibration = { ...defaultCalibration, certainMembers: 2, predictedMembers: 3 };

  it('are the certain ones and the best of the others, lower ids first', () => {
    const set = Float32Array.of(0.2, 1, 0, 0.97, 0.3, 1, 0.3, 0.1);
    expect([...membersOf(set, calibration).ids]).toEqual([1, 5, 4, 6, 0]);
    expect([...membersOf(new Float32Array(4), calibration).ids]).toEqual([]);
  });

  it('are those of a full sort in long sets', () => {
    const set = Float32Array.from({ length: 5000 }, () => Math.round(900 * random.uniform()) / 1000);
    const all = Array.from(set.keys()).filter((id) => set[id]! > 0 && set[id]! < 0.95);
    const sorted = all.sort((a, b) => set[b]! - set[a]! || a - b);
    const { ids } = membersOf(set, { ...calibration, predictedMembers: 40 });
    expect([...ids]).toEqual(sorted.slice(0, 40));
  });
});

describe('answers as sets', () => {
  const operators: SetOperators = {
    async project({ ids, degrees }, relation) {
      const set = new Float32Array(6);
      ids.forEach((id, at) => {
        const to = (id + relation + 1) % 6;
        set[to] = Math.max(set[to]!, degrees[at]!);
      });
      return set;
    },
    and: async (left, right) => left.map((x, i) => x * right[i]!),
    or: async (left, right) => left.map((x, i) => x + right[i]! - x * right[i]!),
    negation: async (set) => set.map((x) => 1 - x),
  };
  const answer = (
    name: keyof typeof structures,
    anchors: number[],
    relations: number[],
  ): Promise<Float32Array> =>
    answerSet(operators, defaultCalibration, 6, structures[name].template, { anchors, relations });

  it('follow the tree of the query', async () => {
    expect([...(await answer('2p', [0], [0, 1]))]).toEqual([0, 0, 0, 1, 0, 0]);
    expect([...(await answer('2i', [0, 1], [2, 1]))]).toEqual([0, 0, 0, 1, 0, 0]);
    expect([...(await answer('2u', [0, 1], [0, 1]))]).toEqual([0, 1, 0, 1, 0, 0]);
    expect([...(await answer('2in', [0, 1], [2, 1]))]).toEqual([0, 0, 0, 0, 0, 0]);
    expect([...(await answer('inp', [0, 1], [0, 1, 1]))]).toEqual([0, 0, 0, 1, 0, 0]);
  });
});
