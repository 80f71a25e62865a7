import { modesOf } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import type { AnswerMode } from '@fuzzqe/engine';
import type { ClosedModel, Model, ModelRegistry } from '../models/model-registry.ts';

/** A model, as `GET /v1/models` lists it. */
export interface ModelInfo {
  readonly name: string;
  readonly version: string;
  readonly status: 'open';
  /** False once it is closing. */
  readonly ready: boolean;
  readonly runtime: string;
  readonly profile: string;
  readonly entities: number;
  readonly relations: number;
  readonly edges: number;
  readonly modes: readonly AnswerMode[];
  /** What anyone who reads answers should know, as `code: text`. */
  readonly warnings: readonly string[];
  /** What prefixes in names stand for; none for most graphs that are not from RDF. */
  readonly prefixes: Readonly<Record<string, string>>;
  readonly data: { readonly name: string; readonly licence: string };
}

/**
 * Answers `GET /v1/models`: the models that are open, the default first, and then those that are not.
 *
 * @throws FuzzError `runtime`: no model is known yet; an empty list would say that there are none.
 */
export function listModels(models: ModelRegistry): {
  readonly models: readonly (ModelInfo | ClosedModel)[];
} {
  const listed = [...models.list().map(modelInfo), ...(models.closed?.() ?? [])];
  if (listed.length === 0) throw new FuzzError('runtime', 'the model is not open yet', { passing: true });
  return { models: listed };
}

/** Answers `GET /v1/models/:name`. */
export function modelInfo({ name, version, engine }: Model): ModelInfo {
  const { manifest, vocabulary } = engine;
  const { data } = manifest;
  return {
    name,
    version,
    status: 'open',
    ready: engine.ready,
    runtime: engine.runtime,
    profile: engine.profile,
    entities: vocabulary.entityCount,
    relations: vocabulary.relationCount / 2,
    edges: engine.facts.edgeCount,
    modes: modesOf(manifest),
    warnings: engine.warnings,
    prefixes: Object.fromEntries(vocabulary.prefixes),
    data: { name: data.name, licence: data.licence },
  };
}
