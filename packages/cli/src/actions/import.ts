import { basename } from 'node:path';
import { graphDigest } from '@fuzzqe/bundle';
import { type KnowledgeGraph, schema } from '@fuzzqe/core';
import { readDataset } from '@fuzzqe/data';
import { expectWritable, openRegularFile, readWholeFile } from '@fuzzqe/files';
import { type ModelConfig, modelOptionsSchema, type Parameters } from '@fuzzqe/model';
import {
  isKGReasoningConfig,
  type NamedTensors,
  parametersOf,
  readKGReasoning,
  readSafetensors,
  writeMadeRun,
} from '@fuzzqe/train';
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
  const config = (await readWholeFile(flags.config, 'usage')).toString('utf8');
  const read = isKGReasoningConfig(config)
    ? ofKGReasoning(config, flags.config, train)
    : ofModel(readModel(config, flags.config, train));
  await (await openRegularFile(path, 'usage')).handle.close();
  const { tensors, sha256 } = await readSafetensors(path);
  const { model, parameters, settings, ignored = [] } = read(tensors, path);
  await writeMadeRun(flags.out, async () => ({
    model,
    parameters,
    config: { imported: { file: basename(path), sha256, ...settings } },
    data: { name: dataset.name, licence: dataset.licence, sha256: await graphDigest(train) },
    device: 'elsewhere',
    step: 0,
  }));
  if (ignored.length > 0) terminal.note(`Not parameters of a model, left out: ${ignored.join(', ')}`);
  if (settings !== undefined && dataset.origin?.format !== 'betae')
    terminal.note(
      `${flags.data} was not imported from a BetaE folder: its ids must be those of the checkpoint.`,
    );
  terminal.note(`Wrote ${flags.out}`);
  return ['evaluate', flags.out, '--data', flags.data];
}

/** A model that a file of tensors holds. */
interface ReadModel {
  readonly model: ModelConfig;
  readonly parameters: Parameters;
  /** What another program said of it. */
  readonly settings?: object;
  /** The names of other tensors. */
  readonly ignored?: readonly string[];
}
type ReadTensors = (tensors: NamedTensors, path: string) => ReadModel;

/** Tensors by our names. */
const ofModel =
  (model: ModelConfig): ReadTensors =>
  (tensors, path) => {
    const parameters = parametersOf(model, tensors, path);
    const ignored = Object.keys(tensors).filter((name) => !Object.hasOwn(parameters, name));
    return { model, parameters, ignored };
  };

/** A state dict of KGReasoning. */
const ofKGReasoning =
  (config: string, configPath: string, train: KnowledgeGraph): ReadTensors =>
  (tensors, path) =>
    readKGReasoning({ config, configPath, tensors, path, ...train });

/** Model options from JSON, alone or under `model` as in a training configuration, for a graph. */
function readModel(text: string, path: string, train: KnowledgeGraph): ModelConfig {
  const where = { code: 'config', what: 'model options', path } as const;
  const value = schema.parseJson(schema.anything, text, where);
  const { model: inner } = schema.recogniseJson(schema.partOf({ model: schema.anything }), text) ?? {};
  const model = schema.parse(modelOptionsSchema, inner ?? value, where);
  return { ...model, entities: train.entityCount, relations: train.relationCount };
}
