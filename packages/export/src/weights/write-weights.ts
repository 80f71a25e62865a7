import { FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import { sizeOf } from '@fuzzqe/core/tensor';
import { type ModelConfig, matricesTable, type Parameters, relationDomains } from '@fuzzqe/model';
import type { FolderFile } from '../files/folder-writer.ts';
import type { CodeLayout } from '../profiles/entity-codes.ts';
import { domainChunks } from '../profiles/exact-tables.ts';
import type { Conversion, ExportProfile, NamedTables } from '../profiles/profile.ts';
import { entityTable, tablesOf } from '../programs/tables.ts';
import { materialise } from './materialise.ts';
import { type WeightsWriter, weightsLayout, weightsWriter } from './weights-writer.ts';

/** One weights file to be written. */
export interface WeightsTarget {
  readonly profile: ExportProfile;
  readonly file: FolderFile;
  /** How codes of entities are to lie; as `matrix` unless given. */
  readonly codes?: CodeLayout;
}

/** What training leaves. */
export interface TrainedModel {
  readonly parameters: Parameters;
  /** The facts that it was trained on. */
  readonly graph: KnowledgeGraph;
}

/** What happens during the writing. */
export interface WeightsSteps {
  /** Throws 'interrupted' where the export is to end. */
  check(): void;
  /** So many relations are written. */
  step(done: number): void;
}

/**
 * Writes the weights files of all given profiles in one pass over the model, with domains of the facts that it was trained on.
 *
 * W_r of a large model does not fit in memory: a few are computed, and go to every file before the next ones are.
 * @throws FuzzError `checkpoint`: a number that float32 or a profile cannot hold.
 */
export async function writeWeights(
  config: ModelConfig,
  { parameters, graph }: TrainedModel,
  targets: readonly WeightsTarget[],
  { check, step }: WeightsSteps,
): Promise<void> {
  const tables = materialise(config, parameters);
  const files = targets.map(({ profile, file, codes }): [Conversion, WeightsWriter] => [
    profile.convert(config, parameters, codes),
    weightsWriter(file, weightsLayout(profile, config, codes)),
  ]);
  const inMemory: NamedTables = Object.fromEntries(
    tablesOf(config)
      .filter(({ name }) => name !== matricesTable)
      .map(({ name, shape }) => [name, whole(tables.get(name)!(), shape)]),
  );
  const domains = relationDomains(graph);
  for (const [conversion, file] of files) {
    check();
    await file.put(conversion.entities(inMemory[entityTable]!));
    await file.put(conversion.tables(inMemory));
    await file.put(domainChunks(config, domains));
  }
  const size = config.dimension ** 2;
  let done = 0;
  const matrices = tables.get(matricesTable);
  if (matrices !== undefined && files.some(([conversion]) => conversion.relation !== undefined))
    for (const block of matrices())
      for (let at = 0; at < block.length; at += size) {
        check();
        const matrix = block.subarray(at, at + size);
        for (const [conversion, file] of files)
          if (conversion.relation !== undefined) await file.put(conversion.relation(matrix));
        done += 1;
        step(done);
      }
  for (const [conversion, file] of files) {
    await file.put(conversion.end());
    await file.close();
  }
}

/** A table that fits in memory, from its blocks. */
function whole(blocks: Iterable<Float32Array>, shape: readonly number[]): Float32Array {
  const table = new Float32Array(sizeOf(shape));
  let at = 0;
  for (const block of blocks) {
    table.set(block, at);
    at += block.length;
  }
  return table;
}

/** Throws 'interrupted' once a signal is raised. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new FuzzError('interrupted', 'the export was stopped; nothing was written', {
      hint: 'Run it again; what was there before is untouched.',
    });
}
