import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/model';
import { describe, expect, it } from 'vitest';
import { folderWriter } from '../files/folder-writer.ts';
import { type ProfileName, profileNames } from '../profiles/profile.ts';
import { profiles } from '../profiles/profiles.ts';
import { blocksConfig, sampleConfig, sampleExport } from '../testing/sample.ts';
import { inTemporaryFolder } from '../testing/temporary-folder.ts';
import { openWeights, type WeightsReader } from '../weights/weights-reader.ts';
import { writeWeights } from '../weights/write-weights.ts';
import { float64Scores } from './float64-scores.ts';

async function withWeights<T>(
  config: ModelConfig,
  name: ProfileName,
  work: (weights: WeightsReader) => Promise<T>,
): Promise<T> {
  return inTemporaryFolder(async (folder) => {
    const writer = folderWriter(folder);
    const { parameters, graph } = sampleExport(config);
    const target = { profile: profiles[name], file: await writer.open('weights.bin') };
    await writeWeights(config, { parameters, graph }, [target], { check: () => {}, step: () => {} });
    const weights = await openWeights(join(folder, 'weights.bin'), profiles[name], config);
    try {
      return await work(weights);
    } finally {
      await weights.close();
    }
  });
}

const cases = [sampleConfig, blocksConfig].flatMap((config) =>
  profileNames
    .filter((name) => profiles[name].refusal(config) === undefined)
    .map((name) => [name, config.relationForm, { ...config, entities: 150 }] as const),
);

describe.each(cases)('float64 scores of %s with %s', (name, _, config) => {
  const random = createRandom('scored links');
  const heads = Int32Array.from({ length: 9 }, () => random.below(config.entities));
  const relations = heads.map((__, i) => i % config.relations);

  it('are the same part by part as all at once, and alone as together', () =>
    withWeights(config, name, async (weights) => {
      const whole = await float64Scores(config, weights)(heads, relations);
      expect(whole).toHaveLength(9 * config.entities);
      for (const atOnce of [1, 40, 75, 149]) {
        const parts = await float64Scores(config, weights, atOnce)(heads, relations);
        const apart = parts.map((score, i) => Math.abs(score - whole[i]!));
        expect(Math.max(...apart)).toBeLessThan(1e-6);
      }
      const alone = await float64Scores(config, weights)(heads.slice(4, 5), relations.slice(4, 5));
      const row = whole.subarray(4 * config.entities, 5 * config.entities);
      expect(Math.max(...alone.map((score, e) => Math.abs(score - row[e]!)))).toBeLessThan(1e-6);
      // Links that differ have other scores.
      const other = whole.subarray(5 * config.entities, 6 * config.entities);
      expect(Math.max(...other.map((score, e) => Math.abs(score - row[e]!)))).toBeGreaterThan(1e-3);
    }));
});
