import { planPattern } from '@fuzzqe/core/query';
import { answerPattern, isExact, type PatternLimits, type SetsState, tupleKey } from '@fuzzqe/core/sets';
import { defaultLinks, defaultWidth } from '@fuzzqe/engine';
import type { PatternRanker } from '@fuzzqe/train';

/** How far a search goes. */
export type SearchLimits = Pick<PatternLimits, 'links' | 'width'>;

/** How far an evaluation searches: as far as a call of an engine that says nothing of it. */
const searchLimits: SearchLimits = { links: defaultLinks, width: defaultWidth };

/** Ranks the answers of patterns by mode `sets`. Shapes and ranges: as `answerPattern`. */
export function patternRanker(state: SetsState, limits: SearchLimits = searchLimits): PatternRanker {
  return async (pattern, { k, excluded }) => {
    const found = await answerPattern(state, planPattern(pattern), {
      ...limits,
      k,
      excluded: new Set(Array.from(excluded, (id) => tupleKey([id]))),
    });
    return { ids: found.tuples, degrees: found.degrees, exact: isExact(found) };
  };
}
