// What a query of the mix costs an engine: one at a time, and 64 together.
import { quantile } from './load.mjs';

/** The processor time of this process in milliseconds. */
export function processorNow() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const median = (all) => quantile(Float64Array.from(all).sort(), 0.5);

/** Lines of milliseconds a query, of time and of the processor. Works take turns, so that a loaded machine slows all. */
export async function measureEngine(engine, drawn, modes, { rounds = 6 } = {}) {
  await engine.warmUp();
  const queries = drawn.map(({ query }) => query);
  const works = modes.flatMap((mode) => [1, 64].map((batch) => ({ mode, batch, each: [], processor: [] })));
  for (let round = 0; round <= rounds; round += 1)
    for (const { mode, batch, each, processor } of works) {
      // As many of each structure: 14 × 16 queries, others in every round.
      const from = (round * 224) % (queries.length - 224);
      const chosen = queries.slice(from, from + 224);
      for (let at = 0; at < chosen.length; at += batch) {
        const part = chosen.slice(at, at + batch);
        const [start, before] = [performance.now(), processorNow()];
        await engine.answerAll(part, { mode, k: 10 });
        // The first round opens graphs and maps weights.
        if (round === 0) continue;
        each.push((performance.now() - start) / part.length);
        processor.push((processorNow() - before) / part.length);
      }
    }
  return works.map(({ mode, batch, each, processor }) => {
    const mean = (all) => all.reduce((sum, value) => sum + value, 0) / all.length;
    return `${mode}, batch ${batch}: ${mean(each).toFixed(3)} ms a query (median ${median(each).toFixed(3)}), ${mean(processor).toFixed(3)} of the processor`;
  });
}
