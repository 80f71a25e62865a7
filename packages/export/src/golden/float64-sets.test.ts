import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultCalibration, type SetGraphs } from '@fuzzqe/core/sets';
import { describe, expect, it } from 'vitest';
import { exportBundle } from '../bundle/export-bundle.ts';
import { profileNames } from '../profiles/profile.ts';
import { profiles } from '../profiles/profiles.ts';
import { sampleConfig, sampleExport } from '../testing/sample.ts';
import { inTemporaryFolder } from '../testing/temporary-folder.ts';
import { openWeights } from '../weights/weights-reader.ts';
import { float64SetGraphs } from './float64-sets.ts';

describe('degrees in float64', () => {
  it('are the same from weights in pieces, and refused where one is cut off', async () => {
    await inTemporaryFolder(async (folder) => {
      const directory = join(folder, 'bundle');
      await exportBundle({ ...sampleExport(), directory });
      const path = join(directory, 'models/fp32/weights.bin');
      const bytes = await readFile(path);
      const cuts = [0, 1000, 1001, bytes.length >> 1, bytes.length];
      const pieces = cuts.slice(1).map((_, i) => `${path}.${i}`);
      for (const [i, piece] of pieces.entries()) await writeFile(piece, bytes.subarray(cuts[i], cuts[i + 1]));
      const [whole, inPieces] = [
        await openWeights(path, profiles.fp32, sampleConfig),
        await openWeights(pieces, profiles.fp32, sampleConfig),
      ];
      expect(await inPieces.values([3, 0])).toEqual(await whole.values([3, 0]));
      await inPieces.close();
      await writeFile(pieces.at(-1)!, bytes.subarray(cuts[3], -8));
      const short = await openWeights(pieces, profiles.fp32, sampleConfig);
      await expect(short.values([0, 1, 2, 3, 4, 5])).rejects.toThrow();
      await short.close();
      await whole.close();
    });
  });

  it('are the same in parts of the entities as of all at once, in every profile', async () => {
    await inTemporaryFolder(async (folder) => {
      const directory = join(folder, 'bundle');
      await exportBundle({ ...sampleExport(), directory, profiles: profileNames });
      for (const name of profileNames) {
        const path = join(directory, 'models', name, 'weights.bin');
        const weights = await openWeights(path, profiles[name], sampleConfig);
        const [whole, parts] = [40, 9].map((atOnce) =>
          float64SetGraphs(sampleConfig, weights, defaultCalibration, atOnce),
        ) as [SetGraphs, SetGraphs];
        // Such that degrees are between the lowest and the cap: cosines of random models are near 1.
        const offset = -2 - 0.98 * defaultCalibration.temperature;
        const links = {
          heads: Int32Array.of(3, 39, 3),
          relations: Int32Array.of(1, 0, 5),
          offsets: new Float32Array(3).fill(offset),
        };
        const ofLinks = await whole.links(links);
        expect(await parts.links(links), name).toEqual(ofLinks);
        expect(new Set(ofLinks).size).toBeGreaterThan(3);
        const projection = {
          heads: Int32Array.of(0, 17),
          relation: 2,
          offsets: new Float32Array(2).fill(offset),
          membership: Float32Array.of(1, 0.5),
          recorded: Float32Array.from({ length: 3 * 40 }, (_, i) => (i % 7 === 0 ? 0.5 : 0)),
        };
        const degrees = await whole.projectSet(projection);
        expect(await parts.projectSet(projection), name).toEqual(degrees);
        expect(new Set(degrees).size).toBeGreaterThan(3);
        await weights.close();
      }
    });
  });
});
