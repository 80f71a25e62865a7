// Whether a table of entities of more than 2 GiB opens and ranks: a sparse file of zeros stands for its weights.
//
//   npm run build && node bench/large-table.mjs [entities = 10000000] [d = 64]
//
// Prints one line of JSON. Memory is the peak of this process, with what it maps of the file.
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainModel } from '@fuzzqe/core/model';
import { profiles, rankProgram } from '@fuzzqe/export';
import { emitOnnx, layoutWeights } from '@fuzzqe/onnx';
import * as ort from '@fuzzqe/ort';

const [entities = 10_000_000, dimension = 64] = process.argv.slice(2).map(Number);
const config = { ...plainModel, entities, relations: 2, dimension, bases: 1 };
const elementBytes = { float: 4, half: 2, int8: 1 };
const layout = layoutWeights(
  profiles.fp32.tensors(config).map((tensor) => ({
    ...tensor,
    bytes: { byteLength: tensor.shape.reduce((a, b) => a * b, 1) * elementBytes[tensor.dtype] },
  })),
);
const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-large-'));
try {
  const file = await open(join(folder, 'weights.bin'), 'w');
  await file.truncate(layout.size);
  // The last entity is the only one with numbers, beyond what 31 bits count.
  const { offset, length } = layout.places.get('entityEmbeddings');
  const last = new Float32Array(dimension).fill(0.5);
  await file.write(last, 0, last.byteLength, offset + length - last.byteLength);
  await file.close();
  const program = rankProgram(profiles.fp32.model(config));
  const path = join(folder, 'rank.onnx');
  const parameters = (name) => ({ kind: 'external', location: 'weights.bin', ...layout.places.get(name) });
  await writeFile(path, emitOnnx(program, { parameters, metadata: {} }));
  const session = await ort.openInferenceSession(path, { executionProviders: ['cpu'] });
  const feeds = {
    embedding: new ort.Tensor('float32', new Float32Array(dimension).fill(1), [1, dimension]),
    allowed: new ort.Tensor('float32', new Float32Array(entities).fill(1), [1, entities]),
    k: new ort.Tensor('int32', Int32Array.of(1), [1]),
  };
  const { ids, scores } = await session.run(
    Object.fromEntries(session.inputNames.map((name) => [name, feeds[name]])),
  );
  const peakMiB = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(
    JSON.stringify({
      entities,
      dimension,
      bytes: layout.size,
      id: ids.data[0],
      score: scores.data[0],
      peakMiB,
    }),
  );
  if (ids.data[0] !== entities - 1) throw new Error('another entity than the one with numbers was found');
} finally {
  await rm(folder, { recursive: true });
}
