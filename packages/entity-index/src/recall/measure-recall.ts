import type { Query } from '@fuzzqe/core/query';
import type { AnswerMode, EmbeddingResult, Ranker, SetsResult } from '@fuzzqe/engine';

/** How well and how fast an index answers some queries. */
export interface Recall {
  readonly queries: number;
  /** The share of the k best entities that the index finds, in [0, 1]. */
  readonly recall: number;
  /** The share of queries whose k best entities are all found. */
  readonly whole: number;
  /** Mean time of a query through the index, and by the bundle alone, in milliseconds. */
  readonly milliseconds: { readonly index: number; readonly exact: number };
}

/**
 * Asks two rankers for the k best answers to each query, one after the other, and counts which of those of the exact one the other
 * finds. Ties count as found: an entity that scores as much as the exact ranking's last.
 *
 * @throws FuzzError: what the rankers throw.
 * @example
 * const recall = await measureRecall([query], { exact: engine.ranker, indexed: ranker }, { k: 10 });
 */
export async function measureRecall(
  queries: readonly Query[],
  { exact, indexed }: { readonly exact: Ranker; readonly indexed: Ranker },
  {
    k = 10,
    mode = 'embedding',
    signal,
    onProgress = () => undefined,
  }: {
    readonly k?: number;
    readonly mode?: AnswerMode;
    readonly signal?: AbortSignal;
    readonly onProgress?: (done: number) => void;
  } = {},
): Promise<Recall> {
  let [found, wanted, whole, byIndex, byBundle] = [0, 0, 0, 0, 0];
  const limits = signal === undefined ? {} : { signal };
  for (const [i, query] of queries.entries()) {
    const request = { task: mode, query, k };
    const before = performance.now();
    const [best] = await exact.rank([request], limits);
    const between = performance.now();
    const [seen] = await indexed.rank([request], limits);
    byBundle += between - before;
    byIndex += performance.now() - between;
    const ids = new Set(best!.ids);
    // Rounding: the two rankings score by different kernels.
    const last = valuesOf(best!).at(-1) ?? 0;
    const least = last - 1e-6 * Math.abs(last);
    const values = valuesOf(seen!);
    const hits = seen!.ids.filter((id, place) => ids.has(id) || values[place]! >= least).length;
    found += hits;
    wanted += best!.ids.length;
    if (hits === best!.ids.length) whole += 1;
    onProgress(i + 1);
  }
  const count = Math.max(1, queries.length);
  return {
    queries: queries.length,
    recall: wanted === 0 ? 1 : found / wanted,
    whole: whole / count,
    milliseconds: { index: byIndex / count, exact: byBundle / count },
  };
}

/** Scores, or degrees. */
const valuesOf = (result: EmbeddingResult | SetsResult): Float32Array =>
  result.task === 'sets' ? result.degrees : result.scores;
