import { type Engine, mostTuples } from '@fuzzqe/engine';
import type { PatternRanker } from '@fuzzqe/train';

/** Ranks the answers of patterns through an opened bundle, by the budget of a call that says nothing of it. */
export function bundleMatcher(engine: Engine): PatternRanker {
  return async (pattern, { k, excluded }) => {
    const leftOut = new Set<number>(excluded);
    const { rows, suggestions, exact } = await engine.match(pattern, {
      k: Math.min(mostTuples, k + excluded.length),
      minDegree: 0,
    });
    const ranked = [...rows, ...suggestions]
      .map(({ entities, degree }) => ({ id: entities[0]!.id, degree }))
      .filter(({ id }) => !leftOut.has(id));
    return {
      ids: Int32Array.from(ranked, ({ id }) => id),
      degrees: Float32Array.from(ranked, ({ degree }) => degree),
      exact,
    };
  };
}
