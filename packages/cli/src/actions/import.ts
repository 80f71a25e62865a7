import { basename } from 'node:path';
import { graphDigest } from '@fuzzqe/bundle';
import { type KnowledgeGraph, schema } from '@fuzzqe/core';
import { type Dataset, readDataset } from '@fuzzqe/data';
import { expectWritable, openRegularFile, readWholeFile } from '@fuzzqe/files';
import { type ModelConfig, modelOptionsSchema } from '@fuzzqe/model';
import { parametersOf, readSafetensors, writeMadeRun } from '@fuzzqe/train';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe import` was told. */
export interface ImportFlags {
  readonly config: string;
  readonly data: string;
  readonly out: string;
}

/** Does `fuzzqe import`. */
export async function importRun(terminal: Terminal, path: string, flags: ImportFlags): Promise<NextCommand> {
  await expectWritable(flags.out);
  const dataset = await readDataset(flags.data);
  const { train } = dataset.graphs();
  const ignored = await importParameters({
    path,
    dataset,
    train,
    model: await readModel(flags.config, train),
    directory: flags.out,
  });
  if (ignored.length > 0) terminal.note(`Not parameters of a model, left out: ${ignored.join(', ')}`);
  terminal.note(`Wrote ${flags.out}`);
  return ['evaluate', flags.out, '--data', flags.data];
}

/** What `importParameters` needs. */
interface ImportTask {
  readonly path: string;
  readonly dataset: Dataset;
  readonly train: KnowledgeGraph;
  readonly model: ModelConfig;
  readonly directory: string;
}

/** Writes a run whose best parameters are those of a file, and gives the names of its other tensors. */
async function importParameters({ path, dataset, train, model, directory }: ImportTask): Promise<string[]> {
  await (await openRegularFile(path, 'usage')).handle.close();
  const { tensors, sha256 } = await readSafetensors(path);
  const parameters = parametersOf(model, tensors, path);
  await writeMadeRun(directory, async () => ({
    model,
    parameters,
    config: { imported: { file: basename(path), sha256 } },
    data: { name: dataset.name, licence: dataset.licence, sha256: await graphDigest(train) },
    device: 'elsewhere',
    step: 0,
  }));
  return Object.keys(tensors).filter((name) => !Object.hasOwn(parameters, name));
}

/** Model options from JSON, alone or under `model` as in a training configuration, for a graph. */
async function readModel(path: string, train: KnowledgeGraph): Promise<ModelConfig> {
  const where = { code: 'config', what: 'model options', path } as const;
  const text = (await readWholeFile(path, 'usage')).toString('utf8');
  const value = schema.parseJson(schema.anything, text, where);
  const { model: inner } = schema.recogniseJson(schema.partOf({ model: schema.anything }), text) ?? {};
  const model = schema.parse(modelOptionsSchema, inner ?? value, where);
  return { ...model, entities: train.entityCount, relations: train.relationCount };
}
