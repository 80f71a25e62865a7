import { mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readManifest } from '@fuzzqe/bundle';
import { structureNames, structures } from '@fuzzqe/core/query';
import { numeric } from '@fuzzqe/core/tensor';
import { checkOnnx } from '@fuzzqe/onnx';
import { openInferenceSession, Tensor } from '@fuzzqe/ort';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportBundle } from '../../bundle/export-bundle.ts';
import { listFiles } from '../../files/replace-folder.ts';
import { difference, runGraph } from '../../testing/run-graph.ts';
import { blocksConfig, sampleExport } from '../../testing/sample.ts';
import { readFolder } from '../../testing/temporary-folder.ts';
import { slotCount } from './answer-program.ts';
import { type TritonOptions, writeTritonRepository } from './write-triton-repository.ts';

let root: string;
let bundle: string;
/** The same with blocks. */
let ofBlocks: string;
/** Of `fp32`, called mine, version 3. */
let repository: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fuzzqe-triton-'));
  [bundle, repository] = [join(root, 'bundle'), join(root, 'models')];
  ofBlocks = join(root, 'blocks');
  const profiles = ['fp32', 'int8'] as const;
  await exportBundle({ ...sampleExport(), directory: bundle, profiles });
  await exportBundle({ ...sampleExport(blocksConfig), directory: ofBlocks, profiles });
  await write({ directory: repository, name: 'mine', version: 3 });
});
afterAll(() => rm(root, { recursive: true, force: true }));

const write = (options: Partial<TritonOptions> & Pick<TritonOptions, 'directory'>) =>
  writeTritonRepository({ source: readFolder(bundle), bundle, ...options });

const ids = (rows: readonly (readonly number[])[]): Tensor =>
  new Tensor('int64', BigInt64Array.from(rows.flat(), BigInt), [rows.length, rows[0]!.length]);

const run = async (
  model: string,
  feeds: Readonly<Record<string, Tensor>>,
): Promise<Readonly<Record<string, Tensor>>> => {
  const session = await openInferenceSession(join(model, 'model.onnx'), { intraOpNumThreads: 1 });
  try {
    return (await session.run(feeds)) as Readonly<Record<string, Tensor>>;
  } finally {
    await session.release();
  }
};

describe('a repository for Triton', () => {
  it('has a model a folder, each with a configuration and a version', async () => {
    const files = await listFiles(repository);
    const models = [...new Set(files.map((path) => path.split('/')[0]))];
    expect(models).toHaveLength(2 * structureNames.length + 2);
    for (const model of models) expect(files).toContain(`${model}/config.pbtxt`);
    expect(files.filter((path) => path.startsWith('mine-answer/'))).toEqual([
      'mine-answer/3/model.onnx',
      'mine-answer/3/weights.bin',
      'mine-answer/config.pbtxt',
    ]);
    expect(files).toContain('mine-2in/3/.keep');
    const labels = await readFile(join(repository, 'mine-links', 'labels.txt'), 'utf8');
    expect(labels.split('\n').slice(0, 2)).toEqual(['e number 0', 'e number 1']);
    expect(await readFile(join(repository, 'mine-2p', 'config.pbtxt'), 'utf8')).toBe(configOf2p);
  });

  it('has files of the operators that we check', async () => {
    for (const path of (await listFiles(repository)).filter((each) => each.endsWith('.onnx'))) {
      const weights = await stat(join(repository, path, '..', 'weights.bin')).catch(() => undefined);
      checkOnnx(await readFile(join(repository, path)), { externalSize: () => weights?.size });
    }
  });

  it.each([
    ['fp32', 'bases'],
    ['int8', 'bases'],
    ['fp32', 'blocks'],
    ['int8', 'blocks'],
  ] as const)('%s with %s: answers all structures in one batch as their graphs do', async (profile, form) => {
    const from = form === 'blocks' ? ofBlocks : bundle;
    let answer = join(repository, 'mine-answer', '3');
    if (profile === 'int8' || form === 'blocks') {
      const directory = join(root, `${profile}-${form}`);
      await write({ directory, profile, source: readFolder(from), bundle: from });
      answer = join(directory, 'sample-answer', '1');
    }
    const { profiles, model } = await readManifest(readFolder(from));
    const { structures: graphs, rank } = profiles[profile]!;
    const rows = structureNames.map((_, row) =>
      Array.from({ length: slotCount }, (_, slot) => (7 * row + 11 * slot) % model.entities),
    );
    const along = rows.map((row) => row.map((id) => id % model.relations));
    const { ids: found, scores } = await run(answer, {
      structure: ids(structureNames.map((_, number) => [number])),
      anchors: ids(rows),
      relations: ids(along),
    });
    expect([found!.type, found!.dims]).toEqual(['int64', [structureNames.length, 10]]);
    const rowOf = ({ data }: Tensor, row: number): number[] =>
      Array.from(data as ArrayLike<number | bigint>, Number).slice(10 * row, 10 * row + 10); // by its type
    for (const [row, name] of structureNames.entries()) {
      const { anchors, relations } = structures[name];
      const { embedding } = await runGraph(from, graphs![name], {
        anchors: numeric([1, anchors], rows[row]!.slice(0, anchors)),
        relations: numeric([1, relations], along[row]!.slice(0, relations)),
      });
      const expected = await runGraph(from, rank, {
        embedding: embedding!,
        allowed: numeric([1, model.entities], new Float32Array(model.entities).fill(1)),
        k: numeric([1], [10]),
      });
      const bound = { absolute: 1e-6, relative: 1e-5 };
      const got = numeric([1, 10], rowOf(scores!, row));
      expect(difference(got, expected['scores']!, bound), name).toBeUndefined();
      expect(rowOf(found!, row), name).toEqual(Array.from(expected['ids']!.data));
      // Another row is another answer.
      const other = numeric([1, 10], rowOf(scores!, (row + 1) % structureNames.length));
      expect(difference(other, expected['scores']!, bound), name).toBeDefined();
    }
  });

  it('fills up rows of each structure', async () => {
    const slots = await run(join(repository, 'mine-pin-slots', '3'), {
      anchors: ids([
        [4, 5],
        [6, 7],
      ]),
      relations: ids([
        [0, 1, 2],
        [3, 4, 5],
      ]),
    });
    const numbers = (name: string) => Array.from(slots[name]!.data as BigInt64Array, Number); // int64
    expect(numbers('structure')).toEqual([12, 12]);
    expect(numbers('anchor_slots')).toEqual([4, 5, 4, 6, 7, 6]);
    expect(numbers('relation_slots')).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('scores links as the graph of links does', async () => {
    const { profiles } = await readManifest(readFolder(bundle));
    const links = [
      { head: 1, relation: 0 },
      { head: 30, relation: 5 },
    ];
    const { scores } = await run(join(repository, 'mine-links', '3'), {
      heads: ids(links.map(({ head }) => [head])),
      relations: ids(links.map(({ relation }) => [relation])),
    });
    const vector = (of: (link: (typeof links)[number]) => number) => numeric([2], links.map(of));
    const scoresOf = async (heads: ReturnType<typeof vector>) =>
      (
        await runGraph(bundle, profiles['fp32']!.links, {
          heads,
          relations: vector(({ relation }) => relation),
        })
      )['scores']!;
    const got = numeric(scores!.dims, scores!.data as Float32Array); // float32
    const bound = { absolute: 1e-6, relative: 1e-5 };
    expect(difference(got, await scoresOf(vector(({ head }) => head)), bound)).toBeUndefined();
    // Another head has other scores.
    expect(difference(got, await scoresOf(vector(({ head }) => head + 1)), bound)).toBeDefined();
  });
});

describe('refused', () => {
  it.each<[Partial<TritonOptions>, string, RegExp]>([
    [{ name: 'a b' }, 'usage', /expected letters, digits/],
    [{ name: '../up' }, 'usage', /expected letters, digits/],
    [{ profile: 'fp16' }, 'usage', /expected one of fp32, int8, got "fp16"/],
    [{ k: 41 }, 'range', /in \[1, 40\], got 41/],
    [{ k: 0 }, 'range', /in \[1, 40\], got 0/],
    [{ maxBatch: 0 }, 'range', /got 0/],
    [{ version: 0 }, 'range', /got 0/],
  ])('%j', async (options, code, message) => {
    const directory = join(root, 'refused');
    await expect(write({ directory, ...options })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(await stat(directory).catch(() => 'nothing')).toBe('nothing');
  });

  it('a bundle for Workers', async () => {
    const workers = join(root, 'workers');
    await exportBundle({ ...sampleExport(), directory: workers, target: 'workers', profiles: ['fp32'] });
    const options = { source: readFolder(workers), bundle: workers, directory: join(root, 'refused') };
    await expect(writeTritonRepository(options)).rejects.toThrow('expected a bundle for servers');
  });

  it('a folder that holds something else, and one that is a file', async () => {
    await expect(write({ directory: repository })).rejects.toMatchObject({ code: 'usage' });
    const directory = join(root, 'file');
    await writeFile(directory, 'mine');
    await expect(write({ directory })).rejects.toMatchObject({ code: 'usage' });
    expect(await readFile(directory, 'utf8')).toBe('mine');
  });

  it('damaged weights, of which nothing is left', async () => {
    const weights = await open(join(bundle, 'models/int8/weights.bin'), 'r+');
    const byte = new Uint8Array(1);
    await weights.read(byte, 0, 1, 100);
    await weights.write(Uint8Array.of(byte[0]! ^ 1), 0, 1, 100);
    await weights.close();
    const directory = join(root, 'damaged');
    await expect(write({ directory, profile: 'int8' })).rejects.toMatchObject({
      code: 'bundle',
      message: expect.stringContaining('expected a file with sha256'),
    });
    expect((await readdir(root)).filter((name) => name.includes('damaged'))).toEqual([]);
  });
});

const configOf2p = `name: "mine-2p"
max_batch_size: 32
version_policy {
  latest {
    num_versions: 1
  }
}
platform: "ensemble"
input {
  name: "anchors"
  data_type: TYPE_INT64
  dims: 1
}
input {
  name: "relations"
  data_type: TYPE_INT64
  dims: 2
}
output {
  name: "ids"
  data_type: TYPE_INT64
  dims: 10
}
output {
  name: "scores"
  data_type: TYPE_FP32
  dims: 10
}
ensemble_scheduling {
  step {
    model_name: "mine-2p-slots"
    model_version: -1
    input_map {
      key: "anchors"
      value: "anchors"
    }
    input_map {
      key: "relations"
      value: "relations"
    }
    output_map {
      key: "structure"
      value: "structure"
    }
    output_map {
      key: "anchor_slots"
      value: "anchor_slots"
    }
    output_map {
      key: "relation_slots"
      value: "relation_slots"
    }
  }
  step {
    model_name: "mine-answer"
    model_version: -1
    input_map {
      key: "structure"
      value: "structure"
    }
    input_map {
      key: "anchors"
      value: "anchor_slots"
    }
    input_map {
      key: "relations"
      value: "relation_slots"
    }
    output_map {
      key: "ids"
      value: "ids"
    }
    output_map {
      key: "scores"
      value: "scores"
    }
  }
}
`;
