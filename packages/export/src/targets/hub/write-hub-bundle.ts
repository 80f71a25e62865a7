import {
  type BundleSource,
  bundlePaths,
  isCombined,
  type Manifest,
  parseManifest,
  readGolden,
  readManifest,
  readVocabulary,
  sealManifest,
} from '@fuzzqe/bundle';
import { expectOptions, FuzzError } from '@fuzzqe/core';
import { hubAttributes, hubAttributesPath, hubFrontMatter } from '../../card/hub-front-matter.ts';
import { modelCard } from '../../card/model-card.ts';
import { type CardExample, cardExampleOf } from '../../card/use-section.ts';
import { folderWriter } from '../../files/folder-writer.ts';
import { replaceFolder } from '../../files/replace-folder.ts';
import { storedModel } from '../../files/stored-model.ts';
import { throwIfAborted } from '../../weights/write-weights.ts';
import { copyBundleFile } from '../copy-bundle-file.ts';

/** A bundle that is there, and where it goes. */
export interface HubOptions {
  /** The bundle, a file for each graph. */
  readonly source: BundleSource;
  /** Where it lies, so that weights are copied in pieces. */
  readonly bundle: string;
  /** A new or empty folder, or one with a bundle. */
  readonly directory: string;
  /** What to call it. Default: its name. */
  readonly name?: string;
  readonly signal?: AbortSignal;
}

/**
 * Writes a bundle as a repository of the Hugging Face Hub, whole or not at all: the same files with a card that the Hub reads, and
 * the bytes that an export of the run for the Hub has. A signature is of the bundle that was signed, and not among them.
 *
 * @throws FuzzError `bundle`: it is damaged. `usage`: a bundle for Workers, or something else stands in the folder. `storage`: the
 * disk refuses. `interrupted`.
 */
export async function writeHubBundle(options: HubOptions): Promise<Manifest> {
  expectOptions('writeHubBundle', options, ['source', 'bundle', 'directory']);
  const { source, bundle, directory, signal } = options;
  const manifest = await readManifest(source);
  if (Object.values(manifest.profiles).some(isCombined))
    throw new FuzzError('usage', 'expected a bundle for servers, got one for Workers', {
      path: bundle,
      hint: 'Export the run with --target hf.',
    });
  const example = await exampleOf(source, manifest);
  // Its keys in their order, which a parsed manifest may have otherwise; `readManifest` has just read the same bytes.
  const json = JSON.parse(new TextDecoder().decode(await source.read(bundlePaths.manifest))) as Manifest;
  const { sha256: _, files: listed, ...rest } = json;
  const described = { ...rest, name: options.name ?? rest.name };

  return replaceFolder(directory, async (temporary) => {
    const writer = folderWriter(temporary);
    try {
      for (const [path, { sha256 }] of Object.entries(listed))
        if (path !== bundlePaths.card)
          await copyBundleFile(writer, { folder: bundle, path, sha256 }, path, signal);
      const card = modelCard({ ...described, model: manifest.model, files: writer.files }, example);
      await writer.write(bundlePaths.card, `${hubFrontMatter(described)}\n${card}`);
      const files = Object.fromEntries(Object.keys(listed).map((path) => [path, writer.files[path]!]));
      // Of the system that stores the folder, and so of no bundle.
      await writer.write(hubAttributesPath, hubAttributes);
      const sealed = await sealManifest({ ...described, model: storedModel(described.model), files });
      await writer.write(bundlePaths.manifest, sealed);
      throwIfAborted(signal);
      return parseManifest(JSON.parse(new TextDecoder().decode(sealed)));
    } finally {
      await writer.abandon();
    }
  });
}

/** The query that the card shows: that of the first golden case of one relation. */
async function exampleOf(source: BundleSource, manifest: Manifest): Promise<CardExample> {
  const [profile] = Object.keys(manifest.profiles);
  const golden = await readGolden(source, manifest, profile!);
  // There is a case of each structure.
  const { anchors, relations } = golden.cases.find(({ structure }) => structure === '1p')!;
  return cardExampleOf(anchors, relations, await readVocabulary(source, manifest));
}
