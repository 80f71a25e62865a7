import type { QueryScorer } from '@fuzzqe/data';
import type { Engine } from '@fuzzqe/engine';
import { scorerOf } from '@fuzzqe/pipeline';

/** Scores every entity through an opened bundle, for the same evaluation that checkpoints get. */
export function bundleScorer(engine: Engine): QueryScorer {
  const { entityCount } = engine.facts;
  return scorerOf(entityCount, async (queries) => {
    const rankings = await engine.rank(queries, { k: entityCount });
    return rankings.map(({ ids, scores: ranked }) => {
      const scores = new Float32Array(entityCount);
      ids.forEach((id, place) => {
        scores[id] = ranked[place]!;
      });
      return scores;
    });
  });
}

/** The same by degrees of fuzzy sets, with the facts that the bundle records. */
export function bundleSetsScorer(engine: Engine): QueryScorer {
  return scorerOf(engine.facts.entityCount, (queries) => engine.degrees(queries));
}
