import { instantiate, type Query } from '@fuzzqe/core/query';
import type { QueryScorer } from '@fuzzqe/data';
import type { Engine } from '@fuzzqe/engine';

/** Queries that are answered at once. */
type Answer = (queries: readonly Query[]) => Promise<readonly Float32Array[]>;

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

/** Links of so many queries lie in memory together. */
const answeredAtOnce = 32;

function scorerOf(entityCount: number, answer: Answer): QueryScorer {
  return async ({ template, anchors: a, relations: r }, anchors, relations, rows) => {
    const scores = new Float32Array(rows * entityCount);
    for (let start = 0; start < rows; start += answeredAtOnce) {
      const queries = Array.from({ length: Math.min(answeredAtOnce, rows - start) }, (_, i) =>
        instantiate(
          template,
          anchors.subarray((start + i) * a, (start + i + 1) * a),
          relations.subarray((start + i) * r, (start + i + 1) * r),
        ),
      );
      const sets = await answer(queries);
      sets.forEach((set, i) => {
        scores.set(set, (start + i) * entityCount);
      });
    }
    return scores;
  };
}
