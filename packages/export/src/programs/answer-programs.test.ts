import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/core/model';
import { calibrationValues, defaultCalibration, projectedSet } from '@fuzzqe/core/sets';
import { createProgram, evaluate, input, numeric, scalar } from '@fuzzqe/core/tensor';
import { checkOnnx, decodeOnnx, emitOnnx } from '@fuzzqe/onnx';
import { expect, it } from 'vitest';
import { exportBundle } from '../bundle/export-bundle.ts';
import { profiles } from '../profiles/profiles.ts';
import { difference, runGraph } from '../testing/run-graph.ts';
import { sampleConfig, sampleExport } from '../testing/sample.ts';
import { inTemporaryFolder } from '../testing/temporary-folder.ts';
import { projectSetProgram } from './answer-programs.ts';

const members = 7;
const bound = { absolute: 1e-6, relative: 1e-5 };

it.each(['l1', 'l2'] as const)(
  'the projection of a set takes many entities in parts, %s: rows of the stored table, with the degrees of links',
  (entityNormalisation) =>
    inTemporaryFolder(async (root) => {
      const config: ModelConfig = { ...sampleConfig, entities: 4500, dimension: 8, entityNormalisation };
      const directory = join(root, 'bundle');
      const { profiles: written } = await exportBundle({ ...sampleExport(config), directory });
      const { projectSet, links } = written['fp32']!;

      const bytes = await readFile(join(directory, projectSet.path));
      const weights = await open(join(directory, projectSet.weights[0]!));
      const { size } = await weights.stat();
      await weights.close();
      checkOnnx(bytes, { externalSize: () => size });
      const { initializer, node } = decodeOnnx(bytes).graph!;
      const parts = initializer.filter(({ name }) => name!.startsWith('entityEmbeddings['));
      expect(parts.map(({ dims }) => dims)).toEqual([2048, 2048, 404].map((rows) => [rows, 8]));
      const tables = new Set(initializer.filter(({ dims }) => dims[0]! >= 404).map(({ name }) => name));
      expect(node.filter(({ opType, input: [x] }) => opType === 'Slice' && tables.has(x))).toEqual([]);

      const random = createRandom('parts');
      const some = (count: number, number: () => number): Float32Array =>
        Float32Array.from({ length: count }, number);
      const feeds = {
        heads: numeric(
          [members],
          Int32Array.from({ length: members }, () => random.below(4500)),
        ),
        offsets: numeric(
          [members],
          some(members, () => -19 + random.uniform()),
        ),
        calibration: numeric([3], calibrationValues(defaultCalibration)),
      };
      const membership = numeric(
        [members],
        some(members, () => random.uniform()),
      );
      const recorded = numeric(
        [3, 4500],
        some(13_500, () => (random.below(3) === 0 ? random.uniform() : 0)),
      );
      const { degrees: predicted } = await runGraph(directory, links, {
        ...feeds,
        relations: numeric([members], new Int32Array(members).fill(3)),
      });
      const { degrees } = await runGraph(directory, projectSet, {
        ...feeds,
        relation: numeric([1], [3]),
        membership,
        recorded,
      });
      const expected = projectedBy(config, { predicted: predicted!, membership, recorded });
      expect(difference(degrees!, expected, bound)).toBeUndefined();
      // Another order of the members is another set.
      const swapped = numeric([members], membership.data.slice().reverse());
      const other = projectedBy(config, { predicted: predicted!, membership: swapped, recorded });
      expect(difference(degrees!, other, bound)).toBeDefined();
    }),
);

it.each([
  [2 ** 14, 'panels', 1],
  [2 ** 14 + 1, 'panels', 2],
  // Too many for panels.
  [3 * 10 ** 6, 'panels', 4],
  [10 ** 6, 'matrix', 1],
] as const)(
  'codes of %i entities that lie in %s, or would, are multiplied in parts: %i',
  (entities, codes, parts) => {
    const model = profiles['int8-basis'].model({ ...sampleConfig, entities }, codes);
    const { node } = decodeOnnx(emitOnnx(projectSetProgram(model))).graph!;
    const counted = (op: string): number => node.filter(({ opType }) => opType === op).length;
    // One product more forms W_r.
    expect(counted('MatMulInteger')).toBe(parts + 1);
    const slices = node.filter(({ opType, input: [x] }) => opType === 'Slice' && x === 'entityCodes');
    expect(slices).toHaveLength(parts === 1 ? 0 : parts);
  },
);

/** (10) over whole rows of links. */
function projectedBy(
  config: ModelConfig,
  {
    predicted,
    membership,
    recorded,
  }: Record<'predicted' | 'membership' | 'recorded', ReturnType<typeof numeric>>,
): ReturnType<typeof numeric> {
  const given = {
    predicted: input('predicted', 'float', [members, 4500]),
    membership: input('membership', 'float', [members, 1]),
    recorded: input('recorded', 'float', [3, 4500]),
  };
  const { logic } = profiles.fp32.model(config);
  const set = projectedSet(logic, scalar(defaultCalibration.support), given);
  const program = createProgram({ name: 'whole', inputs: Object.values(given), outputs: { set } });
  return evaluate(program, { predicted, membership: numeric([members, 1], membership.data), recorded })[
    'set'
  ]!;
}
