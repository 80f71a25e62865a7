import { downloadSources, importFormats } from '@fuzzqe/data';
import { destinationNames, profileNames } from '@fuzzqe/export';
import { parityRuntimeNames, parityRuntimes } from '@fuzzqe/parity';
import { evaluationModes, reproducedTables } from '@fuzzqe/pipeline';
import { deviceNames as servingDevices } from '@fuzzqe/serve';
import { defaultMinutes, deviceNames, presets, publishedGraphs } from '@fuzzqe/train';
import { expect, it } from 'vitest';
import * as choices from './choices.ts';

it('what help lists is what the packages know', () => {
  const { train, valid, test, seed } = presets.countries.queries;
  expect({ ...choices }).toEqual({
    trainingDevices: ['auto', ...deviceNames],
    servingDevices: ['auto', ...servingDevices],
    profileNames,
    destinationNames,
    presetNames: Object.keys(presets),
    sampled: { train, valid, test, seed },
    downloads: Object.keys(downloadSources),
    importFormats,
    configHelp: expect.stringContaining(Object.keys(presets).join(', ')),
    minutesHelp: expect.stringContaining(`default: ${defaultMinutes} if`),
    refitHelp: expect.stringContaining('once more'),
    requireSignatureHelp: expect.stringContaining('Ed25519'),
    profileHelp: expect.stringContaining(profileNames.join(', ')),
    publishedGraphs,
    evaluatedModes: [...evaluationModes, 'both', 'all'],
    reproducedTables: Object.fromEntries(
      reproducedTables.map((name) => [name, expect.stringMatching(/^[234H]$/)]),
    ),
    parityRuntimeNames,
    parityRuntimes: Object.fromEntries(
      parityRuntimeNames.map((name) => [name, parityRuntimes[name].description]),
    ),
  });
});
