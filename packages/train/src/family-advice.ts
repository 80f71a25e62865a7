import { FuzzError, schema } from '@fuzzqe/core';
import { familyNames, familyOf, modelOptionsSchema, traitsOf } from '@fuzzqe/model';

const { anything, integer, oneOf, partOf, recogniseJson } = schema;

/** An error of a training configuration with what to write instead of model options that the family cannot have. */
export function withFamilyAdvice(error: FuzzError, config: unknown): FuzzError {
  // Families of other packages are there once they are added.
  const ownSchema = partOf({ relationForm: oneOf(familyNames), dimension: integer({ min: 1 }) });
  const text = JSON.stringify(config);
  const model = recogniseJson(partOf({ model: anything }), text)?.model;
  const own = recogniseJson(partOf({ model: ownSchema }), text)?.model;
  if (own === undefined) return error;
  const { choices = { projectionInput: ['raw'] } } = traitsOf(own);
  const { queryParts: multiple = 2 } = familyOf(own);
  const allowed: Readonly<Record<string, readonly string[]>> = choices;
  const options = schema.issuesOf(modelOptionsSchema, model).flatMap(({ path }): [string, unknown][] => {
    const name = path.replace('$.', '');
    if (name === 'dimension' && own.dimension % 2 === 1)
      return [[name, multiple * Math.ceil(own.dimension / multiple)]];
    return Object.hasOwn(allowed, name) ? [[name, allowed[name]![0]]] : [];
  });
  if (options.length === 0) return error;
  const write = JSON.stringify({ model: Object.fromEntries(options) });
  return new FuzzError(error.code, error.message, {
    ...(error.path === undefined ? {} : { path: error.path }),
    hint: `For ${own.relationForm}, write ${write}.`,
  });
}
