import { instantiate } from '@fuzzqe/core/query';
import type { QueryScorer } from '@fuzzqe/data';
import type { Engine } from '@fuzzqe/engine';

/** Scores every entity through an opened bundle, for the same evaluation that checkpoints get. */
export function bundleScorer(engine: Engine): QueryScorer {
  const entities = engine.facts.entityCount;
  return async ({ template, anchors: a, relations: r }, anchors, relations, rows) => {
    const queries = Array.from({ length: rows }, (_, row) =>
      instantiate(
        template,
        anchors.subarray(row * a, (row + 1) * a),
        relations.subarray(row * r, (row + 1) * r),
      ),
    );
    const rankings = await engine.rank(queries, { k: entities });
    const scores = new Float32Array(rows * entities);
    rankings.forEach(({ ids, scores: ranked }, row) => {
      for (let i = 0; i < ids.length; i += 1) scores[row * entities + ids[i]!] = ranked[i]!;
    });
    return scores;
  };
}
