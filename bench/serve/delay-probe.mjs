// Loaded into a server by `--import`: tells its parent how long its event loop was held, in milliseconds by the clock, and of the
// processor, which other work on the machine lengthens less.
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.send !== undefined) {
  const resolution = 1;
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  const spent = () => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6;
  // A timer is due in each turn that took a millisecond: what was spent since the last is what they took together.
  let [before, most] = [spent(), 0];
  setInterval(() => {
    const now = spent();
    most = Math.max(most, now - before);
    before = now;
  }, resolution).unref();
  process.on('message', (what) => {
    if (what === 'reset') {
      delays.reset();
      most = 0;
    }
    process.send({ clock: Math.max(0, delays.max / 1e6 - resolution), processor: most });
  });
  process.channel.unref();
}
