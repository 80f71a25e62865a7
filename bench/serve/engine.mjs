// What a query of the mix costs an engine: one at a time, and 64 together; and the scores of all entities alone beside it.
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import { quantile } from './load.mjs';

/** The processor time of this process in milliseconds; asking takes up to a millisecond on a loaded machine. */
export function processorNow() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export const median = (all) => quantile(Float64Array.from(all).sort(), 0.5);

/**
 * Milliseconds a query, of the time that passes and of the processor, and the median of a call. Works take turns, so that a loaded
 * machine slows all. `inFlight` calls are under way at once.
 */
export async function timeEngine(engine, drawn, works, { rounds = 6, inFlight = 1 } = {}) {
  const queries = drawn.map(({ query }) => query);
  const found = works.map((work) => ({ ...work, time: [], processor: [], calls: [] }));
  for (let round = 0; round <= rounds; round += 1)
    for (const { mode, batch, time, processor, calls } of found) {
      // As many of each structure: 14 × 16 queries, others in every round.
      const from = (round * 224) % (queries.length - 224);
      const parts = [];
      for (let at = 0; at < 224; at += batch)
        parts.push(queries.slice(from + at, from + Math.min(at + batch, 224)));
      const [start, before] = [performance.now(), processorNow()];
      const work = async () => {
        for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
          const began = performance.now();
          await engine.answerAll(part, { mode, k: 10 });
          if (round > 0) calls.push((performance.now() - began) / part.length);
        }
      };
      await Promise.all(Array.from({ length: inFlight }, work));
      // The first round opens graphs and maps weights.
      if (round === 0) continue;
      time.push((performance.now() - start) / 224);
      processor.push((processorNow() - before) / 224);
    }
  return found.map(({ mode, batch, time, processor, calls }) => ({
    mode,
    batch,
    time: median(time),
    processor: median(processor),
    call: median(calls),
  }));
}

/** The same for calls of one query and of 64, by modes. */
export async function measureEngine(engine, drawn, modes, options) {
  await engine.warmUp();
  const works = modes.flatMap((mode) => [1, 64].map((batch) => ({ mode, batch })));
  return timeEngine(engine, drawn, works, options);
}

export function describeEngine({ mode, batch, time, processor, call }) {
  return `${mode}, batch ${batch}: ${time.toFixed(3)} ms a query (median of calls ${call.toFixed(3)}), ${processor.toFixed(3)} of the processor`;
}

/** The ranking graph alone on one thread: milliseconds a row, of the time that passes and of the processor. */
export async function rankAlone(bundle, manifest, profile, { rows = 64, runs = 20 } = {}) {
  const entry = manifest.profiles[profile].rank;
  const session = await nodeSessions(bundle, { threads: 1 }).open(entry, folderSource(bundle));
  const feeds = Object.fromEntries(
    entry.inputs.map(({ name, dtype, shape }) => {
      const dims = shape.map((each) => (each === 'batch' ? rows : typeof each === 'number' ? each : 1));
      const size = dims.reduce((product, each) => product * each, 1);
      const data = dtype === 'int' ? new Int32Array(size).fill(10) : new Float32Array(size).fill(0.5);
      // What masks entities has a row for all, which leaves all of them in.
      return [name, { dims, data: dtype === 'int' || name !== 'allowed' ? data : data.fill(1) }];
    }),
  );
  for (let i = 0; i < 5; i += 1) await session.run(feeds);
  const [times, before] = [[], processorNow()];
  for (let i = 0; i < runs; i += 1) {
    const start = performance.now();
    await session.run(feeds);
    times.push(performance.now() - start);
  }
  const processor = (processorNow() - before) / runs;
  await session.close();
  return { time: median(times) / rows, processor: processor / rows };
}
