import { planPattern } from '@fuzzqe/core/query';
import { answerPattern, isExact, type SetsState, tupleKey } from '@fuzzqe/core/sets';
import type { PatternRanker } from '@fuzzqe/train';

/** How far an evaluation searches: some hundred milliseconds for a pattern on FB15k-237. */
const searchLimits = { links: 2000, width: 500 } as const;

/** Ranks the answers of patterns by mode `sets`. Shapes and ranges: as `answerPattern`. */
export function patternRanker(state: SetsState, limits: Partial<typeof searchLimits> = {}): PatternRanker {
  return async (pattern, { k, excluded }) => {
    const found = await answerPattern(state, planPattern(pattern), {
      ...searchLimits,
      ...limits,
      k,
      excluded: new Set(Array.from(excluded, (id) => tupleKey([id]))),
    });
    return { ids: found.tuples, degrees: found.degrees, exact: isExact(found) };
  };
}
