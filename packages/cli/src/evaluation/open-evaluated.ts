import { graphDigest } from '@fuzzqe/bundle';
import type { Dataset } from '@fuzzqe/data';
import { entailedGraph } from '@fuzzqe/evidence';
import { type CandidateModel, type EvaluationMode, recordedShareOf } from '@fuzzqe/pipeline';
import { signatureOptions } from '../options/read-key.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { openModelsAt } from './open-models.ts';

/** What is evaluated, and how. */
export interface EvaluatedModels {
  readonly dataset: Dataset;
  readonly split: 'valid' | 'test';
  readonly modes: readonly EvaluationMode[];
  /** Of CQD-beam. */
  readonly beam?: number | undefined;
  readonly threads: number;
  readonly profile?: string | undefined;
  /** A file. */
  readonly requireSignature?: string | undefined;
}

/** The models at a path, with the facts that easy answers of a part follow from recorded. Throws as `openModelsAt`. */
export async function openEvaluated(
  terminal: Terminal,
  model: string,
  { dataset, split, modes, beam, threads, profile, requireSignature }: EvaluatedModels,
): Promise<readonly CandidateModel[]> {
  const { train, trainValid } = dataset.graphs();
  const recorded = split === 'test' ? trainValid : train;
  return openModelsAt(model, {
    threads,
    digest: await graphDigest(train),
    profile,
    ...(await signatureOptions(requireSignature)),
    modes,
    beam,
    trained: train,
    recorded,
    entailed: entailedGraph(recorded, dataset.vocabulary),
    recordedShare: split === 'test' ? recordedShareOf(dataset) : 0,
    onNote: terminal.note,
  });
}
