import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  edgeSignature,
  linksSignature,
  operatorNames,
  operatorSignature,
  type Profile,
  parseGolden,
  profileGraphs,
  programSignature,
  rankSignature,
  structureSignature,
  type Tolerance,
} from '@fuzzqe/bundle';
import { createRandom } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import { structureNames, structures, type Template } from '@fuzzqe/core/query';
import { type NumericTensor, numeric } from '@fuzzqe/core/tensor';
import { type ModelConfig, mappingNames, normalisationNames, scoreNames } from '@fuzzqe/model';
import { checkOnnx, decodeOnnx } from '@fuzzqe/onnx';
import { expect, it } from 'vitest';
import { exportBundle } from './bundle/export-bundle.ts';
import { type Queries, referenceAnswers } from './testing/reference.ts';
import { difference, type OpenGraphs, openGraphs, runGraph } from './testing/run-graph.ts';
import { blocksConfig, sampleConfig, sampleExport } from './testing/sample.ts';
import { inTemporaryFolder } from './testing/temporary-folder.ts';

const variants: readonly ModelConfig[] = logicNames.flatMap((logic) => [
  { ...blocksConfig, logic },
  { ...blocksConfig, logic, projectionInput: 'lengthened' as const, negationLambda: -0.6 },
  { ...blocksConfig, logic, projectionInput: 'domain' as const, negationLambda: -0.6 },
  ...mappingNames.flatMap((mapping) =>
    normalisationNames.flatMap((entityNormalisation) =>
      (['raw', 'l2'] as const).map((projectionInput, i) => ({
        ...sampleConfig,
        logic,
        // Between them, each normalisation has both scores.
        score: scoreNames[i]!,
        negationLambda: [0, 0.5][i]!,
        mapping,
        entityNormalisation,
        projectionInput,
        entityMapping: mappingNames[i]!,
      })),
    ),
  ),
]);
const titleOf = ({
  relationForm,
  logic,
  mapping,
  entityMapping,
  entityNormalisation,
  projectionInput,
  score,
}: ModelConfig) =>
  [relationForm, logic, mapping, entityMapping, entityNormalisation, projectionInput, score].join(' ');
const batch = 5;
const k = 7;
const exact: Tolerance = { absolute: 1e-6, relative: 1e-6 };

function queriesOf(config: ModelConfig, name: keyof typeof structures): Queries {
  const random = createRandom('queries', name);
  const rows = (count: number, below: number) =>
    Array.from({ length: batch }, () => Array.from({ length: count }, () => random.below(below)));
  return {
    anchors: rows(structures[name].anchors, config.entities),
    relations: rows(structures[name].relations, config.relations),
  };
}

const matrix = (rows: readonly (readonly number[])[]): NumericTensor =>
  numeric([rows.length, rows[0]!.length], rows.flat());
const vector = (values: readonly number[]): NumericTensor => numeric([values.length], values);

/** All entities may be answers. */
const everyone = (entities: number): NumericTensor =>
  numeric([batch, entities], new Float32Array(batch * entities).fill(1));

/** The embedding of the operator graphs, composed as docs/bundle-format.md says. */
async function compose(
  graphs: OpenGraphs,
  { operators }: Profile,
  template: Template,
  { anchors, relations }: Queries,
): Promise<NumericTensor> {
  const embed = async (node: Template): Promise<NumericTensor> => {
    const run = async (name: keyof typeof operators, feeds: Record<string, NumericTensor>) =>
      (await graphs.run(operators[name]!, feeds))['embedding']!;
    switch (node.op) {
      case 'entity':
        return run('anchor', { entities: vector(anchors.map((row) => row[node.anchor]!)) });
      case 'project': {
        const along = { relations: vector(relations.map((row) => row[node.relation]!)) };
        const operand = await embed(node.from);
        const starts = operators.centroid === undefined || node.from.op === 'entity';
        return run('project', {
          operand: starts ? operand : await run('centroid', { operand, ...along }),
          ...along,
        });
      }
      case 'not':
        return run('negation', { operand: await embed(node.operand) });
      default: {
        let left = await embed(node.operands[0]!);
        for (const operand of node.operands.slice(1))
          left = await run(node.op === 'and' ? 'conjunction' : 'disjunction', {
            left,
            right: await embed(operand),
          });
        return left;
      }
    }
  };
  return embed(template);
}

/** Beside what a runtime rounds, each W_r was rounded to float32 when it was stored: parity starts from what is stored. */
const stored: Tolerance = { absolute: 1e-5, relative: 1e-4 };

/** Scores in the reference's descending order, and each id with the score that the reference gives it. */
function expectRanking(
  ranked: Record<string, NumericTensor>,
  scores: NumericTensor,
  tolerance: Tolerance,
  name: string,
): void {
  const width = scores.shape[1]!;
  const rows = Array.from({ length: batch }, (_, row) => scores.data.slice(row * width, (row + 1) * width));
  const best = rows.flatMap((row) => Array.from(row.toSorted((a, b) => b - a).subarray(0, k)));
  const ofIds = Array.from(ranked['ids']!.data, (id, i) => rows[Math.floor(i / k)]![id]!);
  expect(difference(ranked['scores']!, numeric([batch, k], best), tolerance), name).toBeUndefined();
  expect(difference(ranked['scores']!, numeric([batch, k], ofIds), tolerance), name).toBeUndefined();
  for (let row = 0; row < batch; row += 1)
    expect(new Set(ranked['ids']!.data.slice(row * k, (row + 1) * k)).size, name).toBe(k);
}

it.each(variants.map((config) => [titleOf(config), config] as const))(
  'every graph of a %s model answers like the trained tensors in float64',
  (_, config) =>
    inTemporaryFolder(async (root) => {
      const directory = join(root, 'bundle');
      const options = sampleExport(config);
      const { profiles } = await exportBundle({ ...options, directory });
      const profile = profiles['fp32']!;
      const graphs = openGraphs(directory);
      for (const name of structureNames) {
        const { template } = structures[name];
        const queries = queriesOf(config, name);
        const expected = referenceAnswers(config, options, template, queries);
        const { embedding: byGraph } = await graphs.run(profile.structures![name], {
          anchors: matrix(queries.anchors),
          relations: matrix(queries.relations),
        });
        const byOperators = await compose(graphs, profile, template, queries);
        const allowed = everyone(config.entities);
        for (const embedding of [byGraph!, byOperators]) {
          expect(difference(embedding, expected.embedding, stored), name).toBeUndefined();
          const ranked = await graphs.run(profile.rank, { embedding, allowed, k: vector([k]) });
          expectRanking(ranked, expected.scores, stored, name);
        }
        expect(difference(byGraph!, byOperators, exact), name).toBeUndefined();
      }
      await graphs.close();
    }),
);

const forms = [sampleConfig, blocksConfig].map((config) => [config.relationForm, config] as const);

it.each(forms)(
  'gives every graph the signature of the format, a valid file and the shared weights: %s',
  (_, config) =>
    inTemporaryFolder(async (root) => {
      const directory = join(root, 'bundle');
      const { model, profiles, files } = await exportBundle({ ...sampleExport(config), directory });
      const profile = profiles['fp32']!;
      const { operators, structures: byStructure, program, edge, rank, links } = profile;
      for (const name of operatorNames) expect(operators[name]).toMatchObject(operatorSignature(model, name));
      for (const name of structureNames)
        expect(byStructure![name]).toMatchObject(structureSignature(model, name));
      expect(program).toMatchObject(programSignature(model));
      expect(edge).toMatchObject(edgeSignature(model));
      expect(rank).toMatchObject(rankSignature(model));
      expect(links).toMatchObject(linksSignature(model));
      for (const { path, weights, inputs } of profileGraphs(profile)) {
        const file = decodeOnnx(await readFile(join(directory, path)));
        checkOnnx(file, { externalSize: (location) => files[`models/fp32/${location}`]?.bytes });
        const stated = new Map(file.metadataProps.map(({ key, value }) => [key, value]));
        expect([stated.get('fuzzqe.format'), stated.get('fuzzqe.profile')]).toEqual(['6', 'fp32']);
        expect(file.graph!.input.map(({ name }) => name)).toEqual(inputs.map(({ name }) => name));
        const locations = file.graph!.initializer.flatMap(({ externalData }) =>
          externalData.filter(({ key }) => key === 'location').map(({ value }) => `models/fp32/${value}`),
        );
        expect([...new Set(locations)]).toEqual(weights);
      }
    }),
);

it.each(forms)('writes golden cases that the graphs reproduce until a weight is changed: %s', (_, config) =>
  inTemporaryFolder(async (root) => {
    const directory = join(root, 'bundle');
    const { model, profiles } = await exportBundle({ ...sampleExport(config), directory });
    const { rank, structures: byStructure, tolerances, golden: path } = profiles['fp32']!;
    const golden = parseGolden(JSON.parse(await readFile(join(directory, path), 'utf8')), model);
    const allowed = numeric([1, model.entities], new Float32Array(model.entities).fill(1));
    const failures = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const { structure, anchors, relations, embedding, scores } of golden.cases) {
        const { embedding: embedded } = await runGraph(directory, byStructure![structure], {
          anchors: matrix([anchors]),
          relations: matrix([relations]),
        });
        const feeds = { embedding: embedded!, allowed, k: vector([golden.k]) };
        const ranked = await runGraph(directory, rank, feeds);
        const bad =
          difference(embedded!, matrix([embedding]), tolerances.embedding) ??
          difference(ranked['scores']!, matrix([scores]), tolerances.score);
        if (bad !== undefined) found.push(`${structure}: ${bad}`);
      }
      return found;
    };
    expect(golden.cases).toHaveLength(3 * structureNames.length);
    expect(await failures()).toEqual([]);

    // One element of the first W_r that the first case uses.
    const [first] = golden.cases;
    const isBlocks = model.relationForm === 'blocks';
    const project = decodeOnnx(await readFile(join(directory, profiles['fp32']!.operators.project.path)));
    const name = isBlocks ? 'relationBlocks' : 'relationWeights';
    const table = project.graph!.initializer.find((each) => each.name === name)!;
    const offset = Number(table.externalData.find(({ key }) => key === 'offset')!.value);
    const weights = await open(join(directory, 'models/fp32/weights.bin'), 'r+');
    const at = offset + first!.relations[0]! * model.dimension ** (isBlocks ? 1 : 2) * 4;
    await weights.write(new Uint8Array(Float32Array.of(0.5).buffer), 0, 4, at);
    await weights.close();
    expect(await failures()).not.toEqual([]);
  }),
);
