import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Manifest, profileFiles, sealManifest } from '@fuzzqe/bundle';
import { materialise } from '@fuzzqe/export';
import { decodeOnnx, encodeOnnx } from '@fuzzqe/onnx';
import type { TinyBundle } from './tiny-bundle.ts';

/** The weights file of a profile. */
export const weightsIn = (directory: string): string => join(directory, 'models/fp32/weights.bin');

/** Rewrites rows of a table within the weights file; a row is found by its own bytes. */
export async function rewriteRows(
  directory: string,
  { config, parameters }: Pick<TinyBundle, 'config' | 'parameters'>,
  table: string,
  change: (rowOf: (row: number) => Float32Array) => Readonly<Record<number, Float32Array>>,
): Promise<void> {
  const rows = [...materialise(config, parameters).get(table)!()].flatMap((block) => Array.from(block));
  const count = table === 'entityEmbeddings' ? config.entities : config.relations;
  const width = rows.length / count;
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

/**
 * Puts a graph where another stood, as if it belonged there: under its name, of its model and profile. What it computes is
 * all that is wrong with it.
 */
export async function placeGraph(directory: string, path: string, file: Uint8Array): Promise<void> {
  const [there, graph] = [decodeOnnx(await readFile(join(directory, path))), decodeOnnx(file)];
  const { name = '' } = there.graph!;
  const { metadataProps } = there;
  await writeFile(
    join(directory, path),
    encodeOnnx({ ...graph, metadataProps, graph: { ...graph.graph!, name } }),
  );
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

/** Gives every file the size and digest that it has now, as if the damage had been there before the bundle was made. */
export async function seal(directory: string): Promise<void> {
  const files: Record<string, { readonly bytes: number; readonly sha256: string }> = {};
  const { files: listed } = JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')) as Manifest;
  for (const path of Object.keys(listed)) {
    const data = await readFile(join(directory, path));
    files[path] = { bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') };
  }
  await rewriteManifest(directory, ({ profiles }) => ({
    files,
    profiles: Object.fromEntries(
      Object.entries(profiles).map(([name, profile]) => {
        const bytes = profileFiles(profile).reduce((sum, path) => sum + files[path]!.bytes, 0);
        return [name, { ...profile, bytes }];
      }),
    ),
  }));
}
