import { schema } from '@fuzzqe/core';
import { expectForm, type ModelConfig, type ModelOptions, modelConfigFields } from './config.ts';

const { entities, relations, score, ...others } = modelConfigFields;
// Absent in what was written before there was a choice.
const optionFields = { ...others, score: schema.withDefault(score, 'innerProduct') };

/** Reads model options from JSON. */
export const modelOptionsSchema: schema.Schema<ModelOptions> = schema.checked(
  schema.object(optionFields),
  expectForm,
);

/** Reads the model configuration of a run from JSON: a run may be older than the choice of a score. */
export const runModelSchema: schema.Schema<ModelConfig> = schema.checked(
  schema.object({ entities, relations, ...optionFields }),
  expectForm,
);
