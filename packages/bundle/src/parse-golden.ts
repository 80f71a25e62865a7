import { FuzzError, schema } from '@fuzzqe/core';
import { structureNames, structures } from '@fuzzqe/core/query';
import { type ModelConfig, structuresOf } from '@fuzzqe/model';
import { type Golden, type GoldenCase, hasGoldenSet } from './golden.ts';

const { array, checked, integer, nullable, number, object, oneOf, parse } = schema;

const ids = array(integer({ min: 0 }));
const numbers = array(number());
const goldenCase: schema.Schema<GoldenCase> = object({
  structure: oneOf(structureNames),
  anchors: ids,
  relations: ids,
  embedding: numbers,
  ids,
  scores: numbers,
  sets: nullable(object({ ids, degrees: array(number({ min: 0, max: 1 })) })),
});
const fields: schema.Schema<Golden> = object({ k: integer({ min: 1 }), cases: array(goldenCase) });

/**
 * Reads the golden cases of a profile, or says everything that is wrong with them at once; with a model, that they are of
 * this model.
 *
 * @throws FuzzError `bundle`: also where a structure has no case, because what is not compared is not known to be right.
 */
export function parseGolden(json: unknown, model?: ModelConfig, path = 'golden.json'): Golden {
  const schema = checked(fields, ({ k, cases }, report) => {
    cases.forEach((entry, i) => {
      checkCase(entry, k, model, (path, ...rest) => report(['cases', i, ...path], ...rest));
    });
  });
  const golden = parse(schema, json, { code: 'bundle', what: path });
  expectEach(model, golden.cases, 'a golden case', path);
  expectEach(
    model,
    golden.cases.filter(
      ({ structure, sets }) => sets !== null || !hasGoldenSet(structure, model?.entities ?? 1),
    ),
    'a golden case with a fuzzy set',
    path,
  );
  return golden;
}

function expectEach(
  model: ModelConfig | undefined,
  cases: readonly GoldenCase[],
  what: string,
  path: string,
): void {
  const given = new Set(cases.map(({ structure }) => structure));
  const missing = structuresOf(model).filter((name) => !given.has(name));
  if (missing.length > 0)
    throw new FuzzError('bundle', `expected ${what} of each structure, got none of ${missing.join(', ')}`, {
      path,
      hint: 'Export the bundle again: `fuzzqe export` writes them.',
    });
}

function checkCase(
  entry: GoldenCase,
  k: number,
  model: ModelConfig | undefined,
  report: schema.Report,
): void {
  const { anchors, relations } = structures[entry.structure];
  const { sets } = entry;
  // What each list is of, how long it is, and below what its ids are; undefined where nothing is known.
  const lists: readonly (readonly [
    readonly string[],
    readonly number[],
    number | undefined,
    number | undefined,
  ])[] = [
    [['anchors'], entry.anchors, anchors, model?.entities],
    [['relations'], entry.relations, relations, model?.relations],
    [['ids'], entry.ids, k, model?.entities],
    [['scores'], entry.scores, k, undefined],
    [['embedding'], entry.embedding, model?.dimension, undefined],
    ...(sets === null
      ? []
      : ([
          [['sets', 'ids'], sets.ids, k, model?.entities],
          [['sets', 'degrees'], sets.degrees, k, undefined],
        ] as const)),
  ];
  for (const [path, list, length, limit] of lists) {
    if (length !== undefined && list.length !== length)
      report(path, `length ${length}`, `length ${list.length}`);
    const bad = limit === undefined ? undefined : list.find((id) => id >= limit);
    if (bad !== undefined) report(path, `ids in [0, ${limit})`, `${bad}`);
  }
}
