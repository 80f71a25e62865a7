import { asEntityId, asRelationId } from '@fuzzqe/core';
import { entity, project } from '@fuzzqe/core/query';
import type { CallLimits, Engine } from '@fuzzqe/engine';
import type { FactOfIds } from '@fuzzqe/facts/apply';

/** Links of one (head, relation) that are asked together. */
interface LinkGroup {
  readonly head: number;
  readonly relation: number;
  /** By tail, the places of its links. */
  readonly places: Map<number, number[]>;
}

/** Requests of one message to the threads. */
const together = 64;

/** The degree that an engine gives to each link now, in [0, 1]. Shapes: → [n]. Throws: what the ranker throws. */
export async function degreesOfLinks(
  { ranker }: Pick<Engine, 'ranker'>,
  links: readonly FactOfIds[],
  limits: CallLimits = {},
): Promise<Float32Array> {
  const groups = new Map<string, LinkGroup>();
  for (const [place, [head, relation, tail]] of links.entries()) {
    const name = `${head} ${relation}`;
    const group = groups.get(name) ?? { head, relation, places: new Map<number, number[]>() };
    groups.set(name, group);
    group.places.set(tail, [...(group.places.get(tail) ?? []), place]);
  }
  const degrees = new Float32Array(links.length);
  const all = [...groups.values()];
  for (let from = 0; from < all.length; from += together) {
    const some = all.slice(from, from + together);
    const asked = some.map(({ head, relation, places }) => ({
      task: 'sets' as const,
      query: project(asRelationId(relation), entity(asEntityId(head))),
      k: places.size,
      allowed: Int32Array.from(places.keys()),
    }));
    const found = await ranker.rank(asked, limits);
    for (const [i, { ids, degrees: given }] of found.entries())
      ids.forEach((id, at) => {
        for (const place of some[i]!.places.get(id)!) degrees[place] = given[at]!;
      });
  }
  return degrees;
}
