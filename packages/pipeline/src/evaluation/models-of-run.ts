import type { Dataset } from '@fuzzqe/data';
import { entailedGraph } from '@fuzzqe/evidence';
import { recordedShareOf } from './calibrate-run.ts';
import { type CandidateModel, openRun, openRunAsSets } from './candidate-model.ts';

/** Which queries a run is to be measured on, by default test queries, and how. */
export interface MeasuredPart {
  readonly split?: 'valid' | 'test';
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
}

/** A run in both modes, to be measured on queries of a part: recorded is what their easy answers follow from. */
export function modelsOfRun(
  run: string,
  dataset: Dataset,
  { split = 'test', threads, signal }: MeasuredPart,
): readonly CandidateModel[] {
  const factsOf = () => (split === 'test' ? dataset.graphs().trainValid : dataset.graphs().train);
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
          facts: factsOf(),
          entailed: entailedGraph(factsOf(), dataset.vocabulary),
          recordedShare: split === 'test' ? recordedShareOf(dataset) : 0,
          threads,
          signal,
        }),
    },
  ];
}
