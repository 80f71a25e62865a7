import type { Dataset } from '@fuzzqe/data';
import { entailedGraph } from '@fuzzqe/evidence';
import { recordedShareOf } from './calibrate-run.ts';
import { type CandidateModel, openRun, openRunAsSets } from './candidate-model.ts';

/** A run in both modes, to be measured on test queries: recorded is what their easy answers follow from. */
export function modelsOfRun(
  run: string,
  dataset: Dataset,
  { threads, signal }: { readonly threads: number; readonly signal?: AbortSignal | undefined },
): readonly CandidateModel[] {
  return [
    {
      name: 'FuzzQE',
      mode: 'embedding',
      run,
      open: () => openRun(run, { trained: dataset.graphs().train, threads }),
    },
    {
      name: 'FuzzQE, sets',
      mode: 'sets',
      run,
      open: () =>
        openRunAsSets(run, {
          trained: dataset.graphs().train,
          facts: dataset.graphs().trainValid,
          entailed: entailedGraph(dataset.graphs().trainValid, dataset.vocabulary),
          recordedShare: recordedShareOf(dataset),
          threads,
          signal,
        }),
    },
  ];
}
