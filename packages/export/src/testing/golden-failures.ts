import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  compareRanking,
  type Golden,
  type GoldenCase,
  type Manifest,
  type Profile,
  parseGolden,
} from '@fuzzqe/bundle';
import { instantiate, type StructureName, structureNames, structures } from '@fuzzqe/core/query';
import { topK } from '@fuzzqe/core/ranking';
import { type AnswerSet, answerSets, createSetLogic, type SetsState } from '@fuzzqe/core/sets';
import { type NumericTensor, numeric } from '@fuzzqe/core/tensor';
import { createLinkDegrees, createRuleIndex } from '@fuzzqe/evidence';
import { difference, type OpenGraphs, openGraphs } from './run-graph.ts';
import { sampleExport } from './sample.ts';

const matrix = (rows: readonly (readonly number[])[]): NumericTensor =>
  numeric([rows.length, rows[0]!.length], rows.flat());

/** All entities may be answers. */
const allowing = (rows: number, entities: number): NumericTensor =>
  numeric([rows, entities], new Float32Array(rows * entities).fill(1));

/** The golden cases of a profile. */
export async function goldenOf(directory: string, manifest: Manifest, profile: string): Promise<Golden> {
  const path = join(directory, manifest.profiles[profile]!.golden);
  return parseGolden(JSON.parse(await readFile(path, 'utf8')), manifest.model);
}

/** What the graph of a structure and the ranking answer. */
export async function answer(
  graphs: OpenGraphs,
  profile: Profile,
  structure: StructureName,
  queries: readonly Pick<GoldenCase, 'anchors' | 'relations'>[],
  k: number,
  allowed: NumericTensor = allowing(queries.length, Number(profile.rank.inputs[1]!.shape[1])),
): Promise<Record<'embedding' | 'ids' | 'scores', NumericTensor>> {
  const { embedding } = await graphs.run(profile.structures![structure], {
    anchors: matrix(queries.map(({ anchors }) => anchors)),
    relations: matrix(queries.map(({ relations }) => relations)),
  });
  const feeds = { embedding: embedding!, allowed, k: numeric([1], [k]) };
  const { ids, scores } = await graphs.run(profile.rank, feeds);
  return { embedding: embedding!, ids: ids!, scores: scores! };
}

/** What the graphs of a profile of a `sampleExport` answer otherwise than its golden cases. */
export async function goldenFailures(directory: string, manifest: Manifest, name: string): Promise<string[]> {
  const profile = manifest.profiles[name]!;
  const { tolerances } = profile;
  const golden = await goldenOf(directory, manifest, name);
  const found: string[] = [];
  const graphs = openGraphs(directory);
  for (const structure of structureNames) {
    const cases = golden.cases.filter((each) => each.structure === structure);
    const got = await answer(graphs, profile, structure, cases, golden.k);
    for (const of of ['embedding', 'scores'] as const) {
      const expected = matrix(cases.map((each) => each[of]));
      const bad = difference(got[of], expected, tolerances[of === 'scores' ? 'score' : of]);
      if (bad !== undefined) found.push(`${structure} ${of}: ${bad}`);
    }
  }
  const { graph: facts, sets } = sampleExport(manifest.model);
  const state: SetsState = {
    links: createLinkDegrees({
      facts,
      rules: createRuleIndex(sets.rules),
      weights: sets.weights,
      async scores(heads, relations) {
        const feeds = {
          heads: numeric([heads.length], heads),
          relations: numeric([relations.length], relations),
        };
        return Float32Array.from((await graphs.run(profile.links, feeds))['scores']!.data);
      },
    }),
    logic: createSetLogic(manifest.model.logic),
    projection: sets.projection,
    facts,
  };
  for (const { structure, anchors, relations, sets: expected } of golden.cases) {
    if (expected === null) continue;
    const query = instantiate(structures[structure].template, anchors, relations);
    const [{ degrees }] = (await answerSets(state, [query])) as [AnswerSet];
    const { ids, scores } = topK(degrees, golden.k);
    const wanted = { ids: expected.ids, scores: expected.degrees };
    const { failure } = compareRanking({ ids, scores }, wanted, tolerances.degree, 'degree');
    if (failure !== undefined) found.push(`${structure} by sets: ${failure}`);
  }
  await graphs.close();
  return found;
}
