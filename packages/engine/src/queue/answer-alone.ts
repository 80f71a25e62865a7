import type { BatchSample } from '../ranker/counters.ts';
import type { RankRequest, RankResult } from '../ranker/ranker.ts';

/** What a function answers to a call of one request, as a batch that waited for nothing; undefined where it does not answer. */
export function answerAlone(
  answer: ((request: RankRequest) => RankResult | undefined) | undefined,
  [request, ...others]: readonly RankRequest[],
): { readonly result: RankResult; readonly sample: BatchSample } | undefined {
  if (answer === undefined || request === undefined || others.length > 0) return undefined;
  const begun = performance.now();
  const result = answer(request);
  const computeSeconds = (performance.now() - begun) / 1000;
  return result && { result, sample: { size: 1, computeSeconds, queueSeconds: [0] } };
}
