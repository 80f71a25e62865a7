import { createHash } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKnowledgeGraph, createRandom, createVocabulary, type NameEntry } from '@fuzzqe/core';
import { type Manifest, sealManifest } from '@fuzzqe/core/bundle';
import { initialiseParameters, type ModelConfig, type Parameters, plainModel } from '@fuzzqe/core/model';
import {
  exportBundle,
  materialise,
  type ProfileName,
  randomGoldenQueries,
  type TableName,
} from '@fuzzqe/export';

/** A bundle of a small random model, and what it was made from. */
export interface TinyBundle {
  readonly directory: string;
  readonly config: ModelConfig;
  readonly parameters: Parameters;
}

/** Exports one; another seed gives another model of the same sizes. */
export async function tinyBundle(
  seed = 'tiny',
  profiles: readonly ProfileName[] = ['fp32'],
): Promise<TinyBundle> {
  const config: ModelConfig = {
    entities: 40,
    relations: 6,
    ...plainModel,
    dimension: 16,
  };
  const random = createRandom('tiny bundle', seed);
  const start = initialiseParameters(config, random);
  // A start is nearly flat: what differs visibly makes for a harder comparison.
  const parameters: Parameters = {
    ...start,
    entities: start.entities.map((value) => 0.5 + 6 * (value - 0.5)),
    coefficients: start.coefficients.map((value) => 4 * value),
    biasBases: start.biasBases.map((value) => value + 0.2 * random.normal()),
  };
  const names = (kind: string, count: number): NameEntry[] =>
    Array.from({ length: count }, (_, i) => ({ key: `${kind}${i}`, label: `${kind} ${i}` }));
  const directory = await mkdtemp(join(tmpdir(), 'fuzzqe-tiny-'));
  await exportBundle({
    directory,
    name: 'tiny',
    config,
    parameters,
    vocabulary: createVocabulary({ entities: names('e', 40), relations: names('r', 3) }),
    graph: createKnowledgeGraph({
      entityCount: 40,
      relationCount: 6,
      triples: Int32Array.of(0, 0, 1, 1, 2, 2),
    }),
    data: { name: 'random', licence: 'CC0-1.0' },
    training: {},
    metrics: {},
    goldenQueries: randomGoldenQueries(config, 3, random.fork('golden')),
    k: 10,
    profiles,
  });
  return { directory, config, parameters };
}

/** The weights file of a profile. */
export const weightsIn = (directory: string): string => join(directory, 'models/fp32/weights.bin');

/** Rewrites rows of a table within the weights file; a row is found by its own bytes. */
export async function rewriteRows(
  directory: string,
  { config, parameters }: TinyBundle,
  table: Exclude<TableName, 'entityEmbeddings'>,
  change: (rowOf: (row: number) => Float32Array) => Readonly<Record<number, Float32Array>>,
): Promise<void> {
  const rows = [...materialise(config, parameters)[table]()].flatMap((block) => Array.from(block));
  const width = rows.length / config.relations;
  const rowOf = (row: number): Float32Array => Float32Array.from(rows.slice(row * width, (row + 1) * width));
  const file = await readFile(weightsIn(directory));
  // All are found before the first is changed: a swap would otherwise find what it has just written.
  const changes = Object.entries(change(rowOf)).map(([row, values]) => {
    const at = file.indexOf(Buffer.from(rowOf(Number(row)).buffer));
    if (at < 0) throw new Error(`${table}[${row}] is not in the weights file`);
    return { at, values };
  });
  for (const { at, values } of changes) Buffer.from(values.buffer).copy(file, at);
  await writeFile(weightsIn(directory), file);
}

/** Changes the manifest. */
export async function rewriteManifest(
  directory: string,
  change: (manifest: Manifest) => object,
): Promise<void> {
  const path = join(directory, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
  const { sha256: _, ...rest } = manifest;
  await writeFile(path, await sealManifest({ ...rest, ...change(manifest) }));
}

/** Gives every file the digest that it has now, as if the damage had been there before the bundle was made. */
export async function seal(directory: string): Promise<void> {
  const files: Record<string, { readonly bytes: number; readonly sha256: string }> = {};
  const { files: listed } = JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')) as Manifest;
  for (const path of Object.keys(listed)) {
    const data = await readFile(join(directory, path));
    files[path] = { bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') };
  }
  await rewriteManifest(directory, () => ({ files }));
}
