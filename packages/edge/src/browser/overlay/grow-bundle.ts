import { type OpenBundle, rankerGrowth } from '@fuzzqe/engine';
import { type GrowingVocabulary, growingVocabulary } from '@fuzzqe/names';

/** A bundle in a worker, whose names may follow those of the page. */
export interface GrowingBundle extends OpenBundle {
  readonly vocabulary: GrowingVocabulary;
}

/** Lets the names of a bundle and the graph of its ranker grow. */
export function growBundle(bundle: OpenBundle): GrowingBundle {
  return { ...bundle, vocabulary: growingVocabulary(bundle.vocabulary), growth: rankerGrowth };
}
