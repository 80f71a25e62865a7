// What likely tails save a server of a large graph, and how often they give the answers of whole rows.
//
//   npm run build && node bench/likely-tails.mjs BUNDLE [--profile fp32] [--each 20] [--k 10] [--structures 1p,2p,3p,2i]
//
// One worker answers each query as people ask, and with `minDegree: 0`, for which the server reads whole rows. Queries are drawn from the facts;
// recorded answers are left out, since both give the same. Milliseconds of the processor and of the clock, medians of the second round. Modes take
// turns by structure and not by query: the collector clears rows of one query while the next query is answered. `same`: the answers of degree 0.01 and more among the best k are the same entities.
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { structureNames } from '@fuzzqe/core/query';
import { openServingEngine } from '@fuzzqe/serve';
import { median, processorNow } from './serve/engine.mjs';
import { drawQueries } from './serve/queries.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    profile: { type: 'string', default: 'fp32' },
    each: { type: 'string', default: '20' },
    k: { type: 'string', default: '10' },
    structures: { type: 'string', default: structureNames.join(',') },
  },
});
const [directory] = positionals;
const [each, k] = [Number(values.each), Number(values.k)];
const engine = await openServingEngine({ directory, profile: values.profile, workers: 1, verify: false });
await engine.warmUp('sets');
const chosen = values.structures.split(',');
const drawn = drawQueries(engine.facts, each * structureNames.length, createRandom('bench likely tails'));
const modes = { likely: {}, whole: { minDegree: 0, suggestions: false } };
const shown = ({ answers }) => answers.filter(({ degree }) => degree >= 0.01);
const keysOf = (answers) => answers.map(({ key }) => key).sort();

let [same, asked] = [0, 0];
console.log('structure | likely: processor, clock | whole: processor, clock | same');
for (const structure of chosen) {
  const queries = drawn.filter((each) => each.structure === structure).map(({ query }) => query);
  const times = { likely: { processor: [], clock: [] }, whole: { processor: [], clock: [] } };
  const found = { likely: [], whole: [] };
  for (let round = 0; round < 2; round += 1)
    for (const [mode, options] of Object.entries(modes))
      for (const query of queries) {
        const [start, before] = [performance.now(), processorNow()];
        const [answer] = await engine.answerAll([query], { mode: 'sets', k, exclude: 'known', ...options });
        if (round === 0) continue;
        times[mode].clock.push(performance.now() - start);
        times[mode].processor.push(processorNow() - before);
        found[mode].push(JSON.stringify(keysOf([...shown(answer), ...answer.suggestions])));
      }
  const equal = found.likely.filter((keys, i) => keys === found.whole[i]).length;
  same += equal;
  asked += queries.length;
  const of = ({ processor, clock }) => `${median(processor).toFixed(1)}, ${median(clock).toFixed(1)} ms`;
  console.log(`${structure} | ${of(times.likely)} | ${of(times.whole)} | ${equal} of ${queries.length}`);
}
console.log(`all | same answers ${same} of ${asked}`);
await engine.close();
