import { FuzzError } from '../errors.ts';
import {
  array,
  checked,
  integer,
  number,
  object,
  oneOf,
  parse,
  type Report,
  type Schema,
} from '../input/schema.ts';
import type { ModelConfig } from '../model/config.ts';
import { structureNames, structures } from '../query/structures.ts';
import type { Golden, GoldenCase } from './golden.ts';
import { bundlePaths } from './manifest.ts';

const ids = array(integer({ min: 0 }));
const numbers = array(number());
const goldenCase: Schema<GoldenCase> = object({
  structure: oneOf(structureNames),
  anchors: ids,
  relations: ids,
  embedding: numbers,
  ids,
  scores: numbers,
});
const fields: Schema<Golden> = object({ k: integer({ min: 1 }), cases: array(goldenCase) });

/**
 * Reads `golden.json`, or says everything that is wrong with it at once; with a model, that it is of this model.
 *
 * @throws FuzzError `bundle`: also where a structure has no case, because what is not compared is not known to be right.
 */
export function parseGolden(json: unknown, model?: ModelConfig): Golden {
  const schema = checked(fields, ({ k, cases }, report) => {
    cases.forEach((entry, i) => {
      checkCase(entry, k, model, (path, ...rest) => report(['cases', i, ...path], ...rest));
    });
  });
  const golden = parse(schema, json, { code: 'bundle', what: bundlePaths.golden });
  const given = new Set(golden.cases.map(({ structure }) => structure));
  const missing = structureNames.filter((name) => !given.has(name));
  if (missing.length > 0)
    throw new FuzzError(
      'bundle',
      `expected a golden case of each structure, got none of ${missing.join(', ')}`,
      {
        path: bundlePaths.golden,
        hint: 'Export the bundle again: `fuzzqe export` writes them.',
      },
    );
  return golden;
}

function checkCase(entry: GoldenCase, k: number, model: ModelConfig | undefined, report: Report): void {
  const { anchors, relations } = structures[entry.structure];
  const lengths = { anchors, relations, ids: k, scores: k, embedding: model?.dimension };
  for (const [key, expected] of Object.entries(lengths)) {
    const got = entry[key as keyof typeof lengths].length;
    if (expected !== undefined && got !== expected) report([key], `length ${expected}`, `length ${got}`);
  }
  if (model === undefined) return;
  const limits = { anchors: model.entities, relations: model.relations, ids: model.entities };
  for (const [key, limit] of Object.entries(limits)) {
    const bad = entry[key as keyof typeof limits].find((id) => id >= limit);
    if (bad !== undefined) report([key], `ids in [0, ${limit})`, `${bad}`);
  }
}
