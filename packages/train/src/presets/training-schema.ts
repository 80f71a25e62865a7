import schema from './training.schema.json' with { type: 'json' };

/** The JSON schema (draft 2020-12) of what `fuzzqe train --config` reads; editors take it as `$schema`. */
export const trainingSchema: Readonly<Record<string, unknown>> = schema;
