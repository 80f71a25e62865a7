import type { EntityDescription } from '@fuzzqe/engine';
import { type AnswerSource, SourceError } from '../sources/answer-source.ts';

/** How many relations are asked for at once; fewer where a server finds them too many. */
const steps = [12, 4, 1] as const;

/** The recorded entities of each relation that are shown at first, and the suggestions. */
export const shownOfRelation = { recorded: 12, predicted: 4 } as const;

/**
 * A page about an entity, from a relation on: as many relations as the source answers at once.
 *
 * @throws SourceError `refused` where even one is too many, and whatever else the source throws.
 */
export async function loadPage(
  source: AnswerSource,
  entity: number,
  offset: number,
  signal: AbortSignal,
): Promise<EntityDescription> {
  let refusal: unknown;
  for (const limit of steps) {
    try {
      return await source.page(entity, { limit, offset, ...shownOfRelation, signal });
    } catch (error) {
      if (!(error instanceof SourceError) || error.fault !== 'refused') throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** A page as it is now, with as many relations as before. Throws: what `loadPage` throws. */
export async function reloadPage(
  source: AnswerSource,
  { id, relations }: EntityDescription,
  signal: AbortSignal,
): Promise<EntityDescription> {
  let page = await loadPage(source, id, 0, signal);
  for (;;) {
    const { total, results } = page.relations;
    if (results.length >= Math.min(relations.results.length, total)) return page;
    const next = await loadPage(source, id, results.length, signal);
    if (next.relations.results.length === 0) return page;
    page = joinPages(page, next);
  }
}

/** A page with the relations of the next one. */
export function joinPages(page: EntityDescription, next: EntityDescription): EntityDescription {
  const { total } = next.relations;
  return { ...page, relations: { total, results: [...page.relations.results, ...next.relations.results] } };
}
