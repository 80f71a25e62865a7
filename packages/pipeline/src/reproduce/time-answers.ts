import { manyEntities } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { instantiate, type Query } from '@fuzzqe/core/query';
import { topK } from '@fuzzqe/core/ranking';
import { queryRow, type SampledQueries } from '@fuzzqe/data';
import { openEngine } from '@fuzzqe/engine';
import { familyOf, structuresOf } from '@fuzzqe/model';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import type { EvaluationMode } from '../evaluation/candidate-model.ts';
import { openCheckpoint } from '../evaluation/open-checkpoint.ts';
import { optimumDegrees } from '../evaluation/optimum/optimum-modes.ts';
import type { MeasuredRun, ModeFigures } from './measure-run.ts';
import { timing } from './table-kinds.ts';

/** A way to answer that is timed. */
interface TimedWay {
  readonly mode: EvaluationMode;
  readonly embeds: (structure: string) => boolean;
  answer(query: Query): Promise<unknown>;
}

/**
 * Milliseconds of an answer of each structure, in every mode of a bundle and by CQD-beam and QTO over the links of the same run.
 *
 * All run on one thread, one query at a time, and keep nothing from one query to the next. QTO asks a link of every entity, so it is left
 * out of graphs with more than 32 768 entities.
 */
export async function timeAnswers(task: MeasuredRun, bundle: string): Promise<readonly ModeFigures[]> {
  const sessions = nodeSessions(bundle, { threads: 1 });
  const engine = await openEngine({ source: folderSource(bundle), sessions, cacheBytes: 0 });
  try {
    const { train: facts } = task.dataset.graphs();
    const checkpoint = await openCheckpoint(task.run, { trained: facts, threads: 1, signal: task.signal });
    try {
      const { model, scores } = checkpoint;
      const k = Math.min(timing.listed, model.entities);
      const { linkTemperature: temperature } = familyOf(model);
      const embedded: readonly string[] = structuresOf(model);
      const optimum = (mode: 'beam-product' | 'qto'): TimedWay => ({
        mode,
        embeds: () => true,
        async answer(query) {
          // Made anew for each query, because it keeps the links that it has asked for.
          const [degrees] = await optimumDegrees({ mode, scores, temperature, facts })([query]);
          return topK(degrees!, k);
        },
      });
      const ways: readonly TimedWay[] = [
        {
          mode: 'embedding',
          embeds: (structure) => embedded.includes(structure),
          answer: (query) => engine.answer(query, { k, mode: 'embedding' }),
        },
        { mode: 'sets', embeds: () => true, answer: (query) => engine.answer(query, { k, minDegree: 0 }) },
        optimum('beam-product'),
        ...(model.entities > manyEntities ? [] : [optimum('qto')]),
      ];
      const measured: ModeFigures[] = [];
      for (const way of ways) measured.push(await timeWay(task, way));
      return measured;
    } finally {
      await checkpoint.close();
    }
  } finally {
    await engine.close();
  }
}

async function timeWay(
  { queries, onProgress, signal }: MeasuredRun,
  { mode, embeds, answer }: TimedWay,
): Promise<ModeFigures> {
  const figures: Record<string, number> = {};
  for (const [at, part] of queries.entries()) {
    if (!embeds(part.structure)) continue;
    onProgress(`Timing mode ${mode}`, 'structures', at, queries.length);
    const times: number[] = [];
    const until = performance.now() + 1000 * timing.seconds;
    for (const query of someOf(part)) {
      if (signal?.aborted) throw new FuzzError('interrupted', 'stopped while answers were timed');
      const begun = performance.now();
      await answer(query);
      times.push(performance.now() - begun);
      if (performance.now() > until) break;
    }
    // Answers so slow that few fit into the time gain nothing from warm-ups.
    figures[part.structure] = median(times.length > timing.warmUps ? times.slice(timing.warmUps) : times);
  }
  return { mode, figures };
}

/** The first queries of a structure. */
function someOf(part: SampledQueries): Query[] {
  return Array.from({ length: Math.min(part.count, timing.queries + timing.warmUps) }, (_, row) => {
    const { anchors, relations } = queryRow(part, row);
    return instantiate(part.shape.template, anchors, relations);
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Number((sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(3));
}
