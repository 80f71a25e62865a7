import { join } from 'node:path';
import type { Profile } from '@fuzzqe/bundle';
import type { KnowledgeGraph } from '@fuzzqe/core';
import type { ModelConfig, Parameters } from '@fuzzqe/model';
import { folderWriter } from '../files/folder-writer.ts';
import { profileFolder, weightsFile, writeGraphs } from '../files/graph-files.ts';
import { fp32 } from '../profiles/float-profiles.ts';
import { weightsLayout } from '../weights/weights-writer.ts';
import { throwIfAborted, writeWeights } from '../weights/write-weights.ts';

/** A trained model, and where its graphs go. */
export interface WriteModelOptions {
  /** An empty folder. */
  readonly directory: string;
  readonly config: ModelConfig;
  readonly parameters: Parameters;
  /** The facts that it was trained on, from which centroids have their heads. */
  readonly graph: KnowledgeGraph;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes the graphs and the weights that a bundle of a model has in full precision, and nothing else of a bundle: what a checkpoint is answered by.
 *
 * @throws FuzzError `storage`: the disk refuses. `interrupted`: the signal was raised.
 * @example
 * const profile = await writeModel({ ...trained, directory: folder });
 */
export async function writeModel(options: WriteModelOptions): Promise<Profile> {
  const { directory, config, parameters, graph, signal } = options;
  const writer = folderWriter(directory);
  try {
    const file = await writer.open(join(profileFolder(fp32.name), weightsFile));
    const target = { profile: fp32, file, codes: 'matrix' } as const;
    await writeWeights(config, { parameters, graph }, [target], {
      check: () => throwIfAborted(signal),
      step: () => {},
    });
    const graphs = await writeGraphs(writer, config, fp32.model(config, 'matrix'), {
      profile: fp32.name,
      layout: weightsLayout(fp32, config, 'matrix'),
      combined: false,
    });
    const none = { absolute: 0, relative: 0 };
    return {
      ...graphs,
      bytes: 0,
      golden: '',
      tolerances: { embedding: none, score: none, degree: none },
      quality: { reason: 'a checkpoint, not a bundle' },
    };
  } finally {
    await writer.abandon();
  }
}
