import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ShelfObserver } from './model-shelf.ts';

/** Has the metrics count what a shelf does, and the log say what it opens and closes, and which bundles fail. */
export function shelfObserver(log: Log, metrics: () => Metrics): ShelfObserver {
  return {
    opened(model, seconds) {
      metrics().models.opened(seconds);
      log.info({ model, seconds }, 'the model is open');
    },
    failed(model, error) {
      metrics().models.failed();
      log.error({ model, error }, 'the model cannot be opened: requests for it are refused');
    },
    evicted(model) {
      metrics().models.evicted();
      log.info({ model }, 'the model is closed for others, and opens again when it is asked for');
    },
  };
}
