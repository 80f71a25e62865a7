import { type Golden, parityTolerances, profileOf } from '@fuzzqe/bundle';
import { formatQuery, type Query } from '@fuzzqe/core/query';
import type { BundleEngine } from '@fuzzqe/engine';
import { goldenParityCases } from '../cases/parity-case.ts';
import { compareAnswers } from '../matrix/compare-answers.ts';
import type { ParityCell } from '../matrix/matrix.ts';
import { rankerAnswerer } from '../runtimes/runtime.ts';

/** Compares an engine's answers to golden cases, whether or not they are those of its bundle. */
export function compareGolden(engine: BundleEngine, golden: Golden): Promise<ParityCell> {
  const { manifest, profile, vocabulary, runtime } = engine;
  return compareAnswers(runtime, rankerAnswerer(engine.ranker), {
    directory: '',
    profile,
    graphs: profileOf(manifest, profile),
    cases: goldenParityCases(golden),
    beside: new Map(),
    tolerances: parityTolerances(manifest, profile),
    queryText: (query) => formatQuery(query as Query, vocabulary), // golden cases are trees
    relation: String,
  });
}

/** Returns the structures and ways of asking that failed, in order: `2in by structure`. */
export function failedPlans({ failures }: ParityCell): string[] {
  return [...new Set(failures.map(({ structure, by }) => `${structure} by ${by}`))];
}
