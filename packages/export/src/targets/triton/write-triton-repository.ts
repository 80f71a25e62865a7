import {
  type BundleSource,
  isCombined,
  type Manifest,
  profileOf,
  readManifest,
  readVocabulary,
} from '@fuzzqe/bundle';
import { expectOptions, FuzzError } from '@fuzzqe/core';
import { structureNames } from '@fuzzqe/core/query';
import type { Program } from '@fuzzqe/core/tensor';
import { emitModel, encodeOnnx, type WeightLayout } from '@fuzzqe/onnx';
import { folderWriter } from '../../files/folder-writer.ts';
import { weightsFile } from '../../files/graph-files.ts';
import { replaceFolder } from '../../files/replace-folder.ts';
import { type ProfileName, profileNames } from '../../profiles/profile.ts';
import { profiles } from '../../profiles/profiles.ts';
import { weightsLayout } from '../../weights/weights-writer.ts';
import { throwIfAborted } from '../../weights/write-weights.ts';
import { copyBundleFile } from '../copy-bundle-file.ts';
import { answerProgram, slotsProgram } from './answer-program.ts';
import { withInt64Boundary } from './int64-boundary.ts';
import { linksRowsProgram } from './links-rows-program.ts';
import {
  answerConfig,
  labelsFile,
  linksConfig,
  type RepositoryShape,
  slotsConfig,
  structureConfig,
} from './model-configs.ts';
import { type TextMessage, textFormat } from './text-format.ts';

/** What a repository for Triton is made of. */
export interface TritonOptions {
  /** The bundle, a file for each graph. */
  readonly source: BundleSource;
  /** Where it lies, so that weights are copied in pieces. */
  readonly bundle: string;
  /** Where the repository goes: a new or empty folder. */
  readonly directory: string;
  /** What the names of its models begin with. Default: the name of the bundle. */
  readonly name?: string;
  /** Default: the first that the bundle has. */
  readonly profile?: ProfileName;
  /** The folder of the models' version. Default 1. */
  readonly version?: number;
  /** How many answers a query gets, in [1, |E|]. Default 10, as `/v2` gives, or |E|. */
  readonly k?: number;
  /** How many queries Triton may put into one run. Default 32: as many matrices as a processor's cache holds. */
  readonly maxBatch?: number;
  readonly signal?: AbortSignal;
}

/** What was written. */
export interface TritonRepository {
  readonly models: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

/**
 * Writes a bundle as a model repository of Triton Inference Server, whole or not at all.
 *
 * Models: NAME-1p … NAME-pni, which have the tensors of our own `/v2`; NAME-answer, which they share and which holds the weights;
 * NAME-links. Source: https://github.com/triton-inference-server/server/blob/main/docs/user_guide/model_repository.md
 *
 * @throws FuzzError `bundle`: it is damaged. `usage`: a bundle for Workers, a name that is no name of a folder, no such profile, or
 * something else stands in the folder. `range`: k, version or the size of a batch. `storage`: the disk refuses.
 */
export async function writeTritonRepository(options: TritonOptions): Promise<TritonRepository> {
  expectOptions('writeTritonRepository', options, ['source', 'bundle', 'directory']);
  const { source, bundle, directory, version = 1, maxBatch = 32, signal } = options;
  const manifest = await readManifest(source);
  const profileName = checkProfile(manifest, options.profile);
  const { model: config } = manifest;
  const shape = {
    name: options.name ?? manifest.name,
    k: options.k ?? Math.min(10, config.entities),
    maxBatch,
  };
  checkShape(shape, version, manifest);
  const vocabulary = await readVocabulary(source, manifest);
  const profile = profiles[profileName];
  const model = profile.model(config);
  const layout = weightsLayout(profile, config);
  const weights = `models/${profileName}/${weightsFile}`;

  return replaceFolder(directory, async (temporary) => {
    const writer = folderWriter(temporary);
    const models: string[] = [];
    const add = async (described: TextMessage, program?: Program): Promise<void> => {
      throwIfAborted(signal);
      const name = String(described['name']);
      models.push(name);
      await writer.write(`${name}/config.pbtxt`, textFormat(described));
      // An ensemble has a version without a file; folders without files are lost on the way to many stores.
      if (program === undefined) return writer.write(`${name}/${version}/.keep`, '');
      await writer.write(`${name}/${version}/model.onnx`, encodeModel(program, layout));
      if (program.parameters.length > 0)
        await copyBundleFile(
          writer,
          { folder: bundle, path: weights, sha256: manifest.files[weights]!.sha256 },
          `${name}/${version}/${weightsFile}`,
          signal,
        );
    };
    try {
      for (const structure of structureNames) {
        await add(structureConfig(shape, structure));
        await add(slotsConfig(shape, structure), slotsProgram(structure));
      }
      await add(answerConfig(shape), answerProgram(model, shape.k));
      await add(linksConfig(shape, config), linksRowsProgram(model));
      const labels = Array.from({ length: config.entities }, (_, id) => oneLine(vocabulary.entity(id).label));
      await writer.write(`${shape.name}-links/${labelsFile}`, `${labels.join('\n')}\n`);
      const bytes = Object.values(writer.files).reduce((sum, file) => sum + file.bytes, 0);
      return { models, files: Object.keys(writer.files).length, bytes };
    } finally {
      await writer.abandon();
    }
  });
}

/** @throws FuzzError `usage`: the bundle has no such profile, or one graph for all of them. */
function checkProfile(manifest: Manifest, wanted: ProfileName | undefined): ProfileName {
  const name = wanted ?? profileNames.find((each) => Object.hasOwn(manifest.profiles, each));
  if (name === undefined)
    throw new FuzzError('usage', `expected a profile out of ${profileNames.join(', ')}, got others`, {
      path: 'profiles',
      hint: 'Export the run again.',
    });
  if (!isCombined(profileOf(manifest, name))) return name;
  throw new FuzzError('usage', 'expected a bundle for servers, got one for Workers', {
    path: 'profiles',
    hint: 'Export the run again with --target triton, or a bundle with --target node.',
  });
}

/** @throws FuzzError `usage`: the name, `range`: numbers. */
function checkShape({ name, k, maxBatch }: RepositoryShape, version: number, { model }: Manifest): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name))
    throw new FuzzError(
      'usage',
      `expected letters, digits, ".", "_" and "-" for the folders of models, got ${JSON.stringify(name.slice(0, 100))}`,
      { path: 'name', hint: 'Name the models with --name.' },
    );
  for (const [path, value, most] of [
    ['k', k, model.entities],
    ['version', version, 2 ** 31 - 1],
    ['maxBatch', maxBatch, 4096],
  ] as const)
    if (!Number.isInteger(value) || value < 1 || value > most)
      throw new FuzzError('range', `expected an integer in [1, ${most}], got ${value}`, { path });
}

function encodeModel(program: Program, layout: WeightLayout): Uint8Array {
  const model = emitModel(program, {
    parameters: (name) => ({ kind: 'external', location: weightsFile, ...layout.places.get(name)! }),
  });
  return encodeOnnx(withInt64Boundary(model));
}

const oneLine = (label: string): string => label.replaceAll(/[\r\n\u2028\u2029]+/g, ' ');
