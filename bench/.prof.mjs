import { defaultCalibration } from '@fuzzqe/core/sets';
import { readDataset, readQueries, someQueries } from '@fuzzqe/data';
import { evaluateRanking, loadBest, openSetsScorer } from '@fuzzqe/train';
const data='/work/lab/fbv';
const dataset = await readDataset(data);
const { train } = dataset.graphs();
const { entityCount, relationCount } = dataset.vocabulary;
const each=Number(process.argv[2]??30);
const queries=(await readQueries(`${data}/queries/valid.jsonl`,{bounds:{entityCount,relationCount},smaller:train})).map(p=>someQueries(p,each));
const { state, parameters } = await loadBest('/work/lab/run-link');
const sets = await openSetsScorer({ model: state.model, parameters, facts: train, threads: Number(process.argv[3]??1) });
let b=performance.now();
await sets.partitions(20); console.log('partitions', (performance.now()-b).toFixed(0),'ms');
const score=sets.score(defaultCalibration);
for (const part of queries){ b=performance.now(); const r=await evaluateRanking({queries:[part],score,entityCount}); const t=(performance.now()-b)/part.count; console.log(part.structure, t.toFixed(2),'ms', (100*Object.values(r.structures)[0].mrr).toFixed(1)); }
