// Loaded into a server by `--import`: tells its parent how long its event loop was held, in milliseconds.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.send !== undefined) {
  const resolution = 1;
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  process.on('message', (what) => {
    if (what === 'reset') delays.reset();
    process.send(Math.max(0, delays.max / 1e6 - resolution));
  });
  process.channel.unref();
}
