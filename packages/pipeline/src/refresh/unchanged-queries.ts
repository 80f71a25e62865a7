import { createQueriesBuilder, type EarlierIds, queryRow, type SampledQueries } from '@fuzzqe/data';

/** The same queries by the ids of two graphs, row by row. */
export interface UnchangedQueries {
  readonly before: readonly SampledQueries<string>[];
  readonly after: readonly SampledQueries<string>[];
}

/** So many queries of a structure are compared at most: they are ranked by two runs. */
const comparedAtMost = 100;

/** The queries that two sets share and whose easy and hard answers are the same in both graphs, at most 100 of each structure. */
export function unchangedQueries(
  before: readonly SampledQueries<string>[],
  after: readonly SampledQueries<string>[],
  { entities, relations }: EarlierIds,
): UnchangedQueries {
  const found: [SampledQueries<string>, SampledQueries<string>][] = [];
  for (const now of after) {
    const was = before.find(({ structure }) => structure === now.structure);
    if (was === undefined) continue;
    const rows = new Map<string, number>();
    for (let row = 0; row < was.count; row++) {
      const { anchors, relations: along } = queryRow(was, row);
      rows.set(`${anchors.join()};${along.join()}`, row);
    }
    const [earlier, later] = [createQueriesBuilder(was.shape), createQueriesBuilder(now.shape)];
    for (let row = 0; row < now.count && later.count < comparedAtMost; row++) {
      const query = queryRow(now, row);
      const at = rows.get(
        `${query.anchors.map((id) => entities[id]!).join()};${query.relations.map((id) => relations[id]!).join()}`,
      );
      if (at === undefined) continue;
      const same = queryRow(was, at);
      const isSame = (['easy', 'hard'] as const).every((kind) => {
        const ids = query[kind].map((id) => entities[id]!).sort();
        return ids.join() === same[kind].join();
      });
      if (!isSame) continue;
      earlier.add(same);
      later.add(query);
    }
    if (later.count > 0) found.push([earlier.build(), later.build()]);
  }
  return { before: found.map(([one]) => one), after: found.map(([, other]) => other) };
}
