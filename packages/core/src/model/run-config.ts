import { checked, object, type Schema, withDefault } from '../input/schema.ts';
import { expectForm, type ModelConfig, type ModelOptions, modelConfigFields } from './config.ts';

const { entities, relations, score, ...others } = modelConfigFields;
// Absent in what was written before there was a choice.
const optionFields = { ...others, score: withDefault(score, 'innerProduct') };

/** Reads model options from JSON. */
export const modelOptionsSchema: Schema<ModelOptions> = checked(object(optionFields), expectForm);

/** Reads the model configuration of a run from JSON: a run may be older than the choice of a score. */
export const runModelSchema: Schema<ModelConfig> = checked(
  object({ entities, relations, ...optionFields }),
  expectForm,
);
