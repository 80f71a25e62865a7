import type { FuzzError } from '@fuzzqe/core';
import type { Engine, IndexState } from '@fuzzqe/engine';
import { openServingEngine } from '../pool/open-serving-engine.ts';
import type { ThreadPool } from '../pool/thread-pool.ts';
import type { Log } from '../telemetry/log.ts';
import type { ServiceOptions } from './start-service.ts';

/** Opens a bundle by the settings of a service: on threads of its own, or on one thread of a pool and on more when these are busy. */
export function openBundleAt(
  directory: string,
  { bundles, settings, requireSignature, openIndex }: ServiceOptions,
  log: Log,
  workers: number,
  pool: ThreadPool | undefined,
): Promise<Engine> {
  const { profile, device, batchSize, waitingLimit, waitingTime } = settings;
  return openServingEngine({
    directory,
    device,
    waitingLimit,
    waitingTime,
    // All bundles share what is stated for the server.
    cacheBytes: Math.floor(settings.cacheBytes / bundles.length),
    ...(profile === undefined ? {} : { profile }),
    workers,
    ...(pool === undefined ? {} : { pool, lanes: 1 }),
    ...(batchSize === undefined ? {} : { batchSize }),
    ...(requireSignature === undefined ? {} : { requireSignature }),
    ...(openIndex === undefined || settings.index === undefined
      ? {}
      : { openIndex: (bundle) => openIndex(bundle, tellState(bundle.manifest.name, log)) }),
    log: (line) => log.warn({}, line),
  });
}

/** Writes a line when an index goes away, and when it is back. */
function tellState(model: string, log: Log): (state: IndexState, error?: FuzzError) => void {
  return (state, error) =>
    state === 'ready'
      ? log.info({ model }, 'the index answers again')
      : log.error(
          { model, state, error },
          'the index does not answer: what needs it is refused until it does',
        );
}
