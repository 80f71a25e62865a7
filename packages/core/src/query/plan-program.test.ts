import { expect, it } from 'vitest';
import { planProgram, type StructureQuery } from './plan-program.ts';
import { structureNames, structures } from './structures.ts';

/** A query whose ids tell its slots apart: anchors 10, 11, 12 and relations 20, 21, 22 of query 0. */
const query = (structure: (typeof structureNames)[number], number = 0): StructureQuery => ({
  structure,
  anchors: Array.from({ length: structures[structure].anchors }, (_, i) => 100 * number + 10 + i),
  relations: Array.from({ length: structures[structure].relations }, (_, i) => 100 * number + 20 + i),
});

/** The queries that a plan computes, read back from its numbers. */
function readBack(plan: ReturnType<typeof planProgram>): string[] {
  const registers: string[] = [];
  const values = (terms: Int32Array): string[] =>
    Array.from({ length: terms.length / 9 }, (_, row) => {
      let value = '';
      for (let at = 0; at < 3; at += 1) {
        const [register, negated, join] = terms.subarray(row * 9 + at * 3, row * 9 + at * 3 + 3);
        if (at > 0 && join === 0) continue;
        const term = `${negated === 1 ? '¬' : ''}${registers[register!]}`;
        value = at === 0 ? term : `(${value} ${join === 1 ? '∧' : '∨'} ${term})`;
      }
      return value;
    });
  const project = (relations: Int32Array, from: readonly string[]): void => {
    expect(from).toHaveLength(relations.length);
    // Registers are read before those of the same level are written.
    registers.push(...from.map((value, row) => `P${relations[row]}(${value})`));
  };
  project(plan.firstRelations, Array.from(plan.anchors, String));
  project(plan.secondRelations, values(plan.secondTerms));
  project(plan.thirdRelations, values(plan.thirdTerms));
  return values(plan.answerTerms);
}

const expected: Readonly<Record<(typeof structureNames)[number], string>> = {
  '1p': 'P20(10)',
  '2p': 'P21(P20(10))',
  '3p': 'P22(P21(P20(10)))',
  '2i': '(P20(10) ∧ P21(11))',
  '3i': '((P20(10) ∧ P21(11)) ∧ P22(12))',
  pi: '(P21(P20(10)) ∧ P22(11))',
  ip: 'P22((P20(10) ∧ P21(11)))',
  '2u': '(P20(10) ∨ P21(11))',
  up: 'P22((P20(10) ∨ P21(11)))',
  '2in': '(P20(10) ∧ ¬P21(11))',
  '3in': '((P20(10) ∧ P21(11)) ∧ ¬P22(12))',
  inp: 'P22((P20(10) ∧ ¬P21(11)))',
  pin: '(P21(P20(10)) ∧ ¬P22(11))',
  pni: '(¬P21(P20(10)) ∧ P22(11))',
};

it.each(structureNames)('plans %s as the table of docs/bundle-format.md says', (name) => {
  expect(readBack(planProgram([query(name)]))).toEqual([expected[name]]);
});

it('plans every structure in one run, without padding', () => {
  const plan = planProgram(structureNames.map((name) => query(name)));
  expect(readBack(plan)).toEqual(structureNames.map((name) => expected[name]));
  const rows = [plan.firstRelations, plan.secondRelations, plan.thirdRelations].map(({ length }) => length);
  const projections = structureNames.reduce((sum, name) => sum + structures[name].relations, 0);
  expect(rows.reduce((sum, count) => sum + count)).toBe(projections);
});

it('keeps the order of queries and the ids of each', () => {
  const plan = planProgram([query('2p', 1), query('1p', 2), query('2p', 3)]);
  expect(readBack(plan)).toEqual(['P121(P120(110))', 'P220(210)', 'P321(P320(310))']);
});

it('gives every level a row, of a relation that is read anyway', () => {
  const { secondRelations, thirdRelations } = planProgram([query('1p')]);
  expect([...secondRelations, ...thirdRelations]).toEqual([20, 20]);
});

it('refuses to plan nothing', () => {
  expect(() => planProgram([])).toThrow('expected at least one, got none');
});
