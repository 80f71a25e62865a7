import { type EntitySet, FuzzError } from '@fuzzqe/core';

/** The graphs of a part, for people. */
export const graphOf = {
  valid: { smaller: 'the training facts', larger: 'training and validation facts' },
  test: { smaller: 'training and validation facts', larger: 'all facts' },
} as const;

/**
 * Refuses hard answers that the smaller graph of their part gives: what is answered from memory measures nothing.
 *
 * @throws FuzzError `data`, at the path of the line.
 */
export function expectHard(
  hard: Int32Array,
  known: Pick<EntitySet, 'has'>,
  part: keyof typeof graphOf,
  path: string,
): void {
  const given = hard.find((entity) => known.has(entity));
  if (given !== undefined)
    throw new FuzzError(
      'data',
      `hard: expected answers that are not easy, got entity ${given}, which ${graphOf[part].smaller} give`,
      { path, hint: `Are the queries of another graph, or not of the part ${part} (--split)?` },
    );
}
