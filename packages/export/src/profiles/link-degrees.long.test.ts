import { join } from 'node:path';
import { tolerancesOf } from '@fuzzqe/bundle';
import { createRandom } from '@fuzzqe/core';
import { numeric } from '@fuzzqe/core/tensor';
import {
  createLinkDegrees,
  createRuleIndex,
  featureCount,
  featureNames,
  type LinkScores,
} from '@fuzzqe/evidence';
import type { ModelConfig } from '@fuzzqe/model';
import { expect, it } from 'vitest';
import { exportBundle } from '../bundle/export-bundle.ts';
import type { ExportOptions } from '../bundle/export-options.ts';
import { float64Scores } from '../golden/float64-scores.ts';
import { openGraphs } from '../testing/run-graph.ts';
import { blocksConfig, sampleConfig, sampleExport } from '../testing/sample.ts';
import { inTemporaryFolder } from '../testing/temporary-folder.ts';
import { trainedBlocks, wideBlocks } from '../testing/trained-blocks.ts';
import { openWeights } from '../weights/weights-reader.ts';
import { profileNames } from './profile.ts';
import { profiles } from './profiles.ts';

const wideBases: ModelConfig = {
  ...{ ...sampleConfig, entities: 600, relations: 8, dimension: 200, bases: 8 },
  ...({ entityNormalisation: 'l2', projectionInput: 'l2' } as const),
};
/** Tiny models, and models of a dimension and of numbers that are trained. */
const models: Readonly<Record<string, readonly [ModelConfig, Omit<ExportOptions, 'directory'>]>> = {
  'tiny bases': [sampleConfig, sampleExport(sampleConfig)],
  'tiny blocks': [blocksConfig, sampleExport(blocksConfig)],
  'wide bases': [wideBases, sampleExport(wideBases)],
  'trained blocks': [wideBlocks, { ...sampleExport(wideBlocks), parameters: trainedBlocks(wideBlocks) }],
};
const share = featureNames.indexOf('share');
const links = 24;

it.each(Object.entries(models))('degrees of links are within tolerances in every profile of %s', (_, of) =>
  inTemporaryFolder(async (root) => {
    const [config, options] = of;
    const names = profileNames.filter((name) => profiles[name].refusal(config) === undefined);
    const directory = join(root, 'bundle');
    const manifest = await exportBundle({ ...options, directory, profiles: names });
    const { graph: facts, sets } = options;
    const rules = createRuleIndex(sets.rules);
    const random = createRandom('links');
    const heads = Int32Array.from({ length: links }, () => random.below(config.entities));
    const relations = heads.map((__, i) => i % config.relations);
    for (const name of names) {
      const graphs = openGraphs(directory);
      const path = join(directory, `models/${name}/weights.bin`);
      const weights = await openWeights(path, profiles[name], config);
      const scoresOf: LinkScores = async (h, r) => {
        const feeds = { heads: numeric([h.length], h), relations: numeric([r.length], r) };
        return Float32Array.from((await graphs.run(manifest.profiles[name]!.links, feeds))['scores']!.data);
      };
      const [got, exact] = [
        await scoresOf(heads, relations),
        await float64Scores(config, weights)(heads, relations),
      ];
      const { absolute, relative } = tolerancesOf(name).degree;
      // Fitted weights of the share are between 1 and 4, at temperatures up to 5 with blocks and 45 of cosines.
      for (const [temperature, weight] of config.relationForm === 'blocks'
        ? ([
            [1, 1.6],
            [5, 4],
          ] as const)
        : ([
            [20, 1.6],
            [45, 4],
          ] as const))
        for (const constant of [-2, 2]) {
          const fitted = sets.weights.relations.map((each, at) =>
            at % featureCount === share ? weight : at % featureCount === 0 ? constant : each,
          );
          const degreesBy = (scores: Float32Array): Promise<Float32Array> =>
            createLinkDegrees({
              ...{ facts, rules, weights: { ...sets.weights, temperature, relations: fitted } },
              scores: async () => scores.slice(),
            }).rows(heads, relations);
          const expected = await degreesBy(exact);
          /** How much of the tolerance is used. */
          const used = (degrees: Float32Array): number =>
            Math.max(
              ...degrees.map(
                (degree, i) => Math.abs(degree - expected[i]!) / (absolute + relative * expected[i]!),
              ),
            );
          expect(used(await degreesBy(got))).toBeLessThan(0.4);
          // Scores that are off by a hundredth of a logit are noticed.
          const off = exact.map(
            (score, i) => score + ((((i % 2) - 0.5) * 0.04) / (weight * temperature)) * 4,
          );
          expect(used(await degreesBy(off))).toBeGreaterThan(1);
        }
      await graphs.close();
      await weights.close();
    }
  }),
);
