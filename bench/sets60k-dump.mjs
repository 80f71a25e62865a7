import { decodeOnnx } from '@fuzzqe/onnx';
import { readFile } from 'node:fs/promises';
const m = decodeOnnx(await readFile(process.argv[2]));
console.log('in', m.graph.input.map((i) => i.name), 'out', m.graph.output.map((i) => i.name));
for (const t of m.graph.initializer) console.log('init', t.name, t.dims, t.dataType, t.rawData?.byteLength ?? t.externalData?.map((x) => `${x.key}=${x.value}`).join(','));
for (const n of m.graph.node) console.log(n.opType, n.input.join(','), '->', n.output.join(','), n.attribute?.map((a) => `${a.name}=${a.i ?? a.ints ?? ''}`).join(' '));
