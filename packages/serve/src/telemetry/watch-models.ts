import type { ModelWatcher } from '@fuzzqe/api';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** Has the metrics count what the engines of models do, and the log hear of their workers that end. */
export function watchModels(metrics: Metrics, log: Log): ModelWatcher {
  return {
    held({ name: model, engine: { ranker } }) {
      metrics.held(ranker);
      ranker.observe?.({
        ...metrics.observer,
        ended: (error) => log.error({ error, model }, 'a worker ended'),
        replaceFailed: (error) =>
          log.error({ error, model }, 'no worker could be opened in place of one that ended: tried again'),
      });
    },
    left: ({ engine }) => metrics.left(engine.ranker),
  };
}
