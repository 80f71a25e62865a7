import { type Profile, programSignature } from '@fuzzqe/bundle';
import { createRandom } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import {
  type ProgramPlan,
  planProgram,
  type StructureQuery,
  structureNames,
  structures,
} from '@fuzzqe/core/query';
import { type NumericTensor, type NumericTensors, numeric } from '@fuzzqe/core/tensor';
import { describe, expect, it } from 'vitest';
import { exportBundle } from './bundle/export-bundle.ts';
import { difference, runGraph } from './testing/run-graph.ts';
import { sampleConfig, sampleExport } from './testing/sample.ts';
import { inTemporaryFolder } from './testing/temporary-folder.ts';

const rounding = { absolute: 1e-6, relative: 1e-6 };

/** A query of each structure, by ids that depend on the structure only. */
const queries: readonly StructureQuery[] = structureNames.map((structure) => {
  const random = createRandom('graph laws', structure);
  const draw = (count: number, below: number): number[] =>
    Array.from({ length: count }, () => random.below(below));
  return {
    structure,
    anchors: draw(structures[structure].anchors, sampleConfig.entities),
    relations: draw(structures[structure].relations, sampleConfig.relations),
  };
});

/** A plan as feeds of the program graph. */
function feedsOf(plan: ProgramPlan): NumericTensors {
  const numbers: Readonly<Record<string, Int32Array>> = { ...plan };
  return Object.fromEntries(
    programSignature(sampleConfig).inputs.map(({ name, shape }) => {
      const data = numbers[name]!;
      const inner = shape.slice(1).map(Number);
      const rows = data.length / inner.reduce((product, dim) => product * dim, 1);
      return [name, numeric([rows, ...inner], data)];
    }),
  );
}

const rowsOf = ({ shape, data }: NumericTensor): NumericTensor[] =>
  Array.from({ length: shape[0]! }, (_, row) =>
    numeric([shape[1]!], data.slice(row * shape[1]!, (row + 1) * shape[1]!)),
  );

/** Terms of one value: register, negated, join. */
const terms = (...values: readonly (readonly [number, number, number])[]): number[] =>
  [0, 1, 2].flatMap((at) => [...(values[at] ?? [0, 0, 0])]);
const [plain, and, or] = [0, 1, 2];

describe.each(logicNames)('the graphs of a model in %s logic', (logic) => {
  const config = { ...sampleConfig, logic };
  const withBundle = (work: (directory: string, profile: Profile) => Promise<void>): Promise<void> =>
    inTemporaryFolder(async (root) => {
      const { profiles } = await exportBundle({ ...sampleExport(config), directory: `${root}/bundle` });
      await work(`${root}/bundle`, profiles['fp32']!);
    });

  it('answer a structure alike: its own, the edge graph bit by bit, and the program in any company', () =>
    withBundle(async (directory, { structures: own, program, edge }) => {
      const mixed = await runGraph(directory, program!, feedsOf(planProgram(queries)));
      for (const [row, query] of queries.entries()) {
        const { structure, anchors, relations } = query;
        const expected = await runGraph(directory, own![structure], {
          anchors: numeric([1, anchors.length], anchors),
          relations: numeric([1, relations.length], relations),
        });
        const filled = (ids: readonly number[]): NumericTensor =>
          numeric(
            [1, 3],
            [0, 1, 2].map((slot) => ids[slot] ?? 0),
          );
        const byEdge = await runGraph(directory, edge, {
          structure: numeric([1], [structureNames.indexOf(structure)]),
          anchors: filled(anchors),
          relations: filled(relations),
        });
        expect(byEdge, structure).toEqual(expected);
        const alone = await runGraph(directory, program!, feedsOf(planProgram([query])));
        const [one] = rowsOf(alone['embedding']!);
        const inCompany = rowsOf(mixed['embedding']!)[row]!;
        const [wanted] = rowsOf(expected['embedding']!);
        // 16 numbers a row are whole vectors of the processor, so that no row is computed by the code for remainders.
        expect(inCompany, structure).toEqual(wanted);
        expect(one, structure).toEqual(wanted);
      }
    }));

  it('hold to De Morgan, to ¬¬q = q, to the order of operands and to a conjunct that only lowers', () =>
    withBundle(async (directory, { program, operators }) => {
      const plan = planProgram([
        { structure: '3i', anchors: [1, 2, 3], relations: [0, 3, 5] },
        { structure: '1p', anchors: [4], relations: [2] },
      ]);
      const answers = [
        terms([0, 0, plain], [1, 0, or]), // a ∨ b
        terms([0, 1, plain], [1, 1, and]), // ¬a ∧ ¬b
        terms([0, 0, plain], [1, 0, and]), // a ∧ b
        terms([1, 0, plain], [0, 0, and]), // b ∧ a
        terms([0, 0, plain], [1, 0, and], [2, 0, and]), // (a ∧ b) ∧ c
        terms([1, 0, plain], [2, 0, and], [0, 0, and]), // (b ∧ c) ∧ a
        terms([0, 0, plain]), // a
        terms([0, 1, plain]), // ¬a
      ];
      const feeds = feedsOf({ ...plan, answerTerms: Int32Array.from(answers.flat()) });
      const { embedding } = await runGraph(directory, program!, feeds);
      const [aOrB, notBoth, ab, ba, abc, bca, a, notA] = rowsOf(embedding!) as NumericTensor[];
      const negated = async (x: NumericTensor): Promise<NumericTensor> =>
        rowsOf(
          (await runGraph(directory, operators.negation, { operand: numeric([1, x.data.length], x.data) }))[
            'embedding'
          ]!,
        )[0]!;
      expect(difference(await negated(notBoth!), aOrB!, rounding), 'De Morgan').toBeUndefined();
      expect(difference(await negated(notA!), a!, rounding), '¬¬').toBeUndefined();
      expect(ab).toEqual(ba);
      expect(difference(abc!, bca!, rounding), 'associativity').toBeUndefined();
      for (const [i, value] of abc!.data.entries()) {
        expect(value).toBeLessThanOrEqual(ab!.data[i]!);
        expect(ab!.data[i]!).toBeLessThanOrEqual(a!.data[i]!);
      }
    }));
});
