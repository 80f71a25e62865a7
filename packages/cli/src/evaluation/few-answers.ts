/** Figures of fewer answers are marked: one answer of n moves an MRR by up to 1 / n. */
export const enoughAnswers = 30;

/** Whether there are too few answers to rely on a figure; figures of unknown answers, such as published ones, are taken as they are. */
export const isFew = (answers: number | undefined): boolean =>
  answers !== undefined && answers < enoughAnswers;

/** The sign of a figure or a row of few answers. */
export const fewSign = '~';

/** What the sign means, with the rows that have it and their answers, if they are named. */
export function describeFew(rows: ReadonlyMap<string, number> = new Map()): string {
  const named = [...rows].map(([name, answers]) => `${name} ${answers}`).join(', ');
  const which = named === '' ? '' : `: ${named}`;
  return `${fewSign} fewer than ${enoughAnswers} answers${which}; one answer can move such a figure by more than ${Math.floor(100 / enoughAnswers)} points`;
}
