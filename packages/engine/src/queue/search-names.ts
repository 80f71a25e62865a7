import type { Matches, Steps } from '@fuzzqe/core';
import { checkSearchCost, estimateSearchCost } from '../cost/estimate-cost.ts';
import type { CallLimits } from '../ranker/call-limits.ts';
import { inTurns } from './in-turns.ts';

/** What a search of names may take. */
export interface SearchLimits extends CallLimits {
  /** In milliseconds of one core, by the model of costs. */
  readonly costLimit: number;
  /** Hears what it may take, in milliseconds of one core, before it begins. */
  readonly onCost: (cost: number) => void;
}

/** What a search of names found. */
export interface FoundNames<Match> extends Matches<Match> {
  /** False where only names were found that have the text in them: to look for misspelt ones as well would have cost too much. */
  readonly misspelt?: false;
}

/**
 * Searches the names of so many entities or relations in turns of the event loop, for misspelt ones too where that may be.
 *
 * @throws FuzzError `cost`: even without these it takes too long. `interrupted` or `deadline`: the limits.
 */
export async function searchNames<Match>(
  names: number,
  { costLimit, onCost, ...limits }: SearchLimits,
  searching: (misspelt: boolean) => Steps<Matches<Match>>,
): Promise<FoundNames<Match>> {
  const misspelt = estimateSearchCost(names) <= costLimit;
  const cost = estimateSearchCost(names, misspelt);
  checkSearchCost(names, cost, costLimit);
  onCost(cost);
  const found = await inTurns(searching(misspelt), { ...limits, isLarge: true });
  return misspelt ? found : { ...found, misspelt };
}
