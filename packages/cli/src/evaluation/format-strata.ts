import type { ComparedModel } from '@fuzzqe/pipeline';
import type { HalfStrataReport, StrataReport } from '@fuzzqe/train';
import { describeFew, fewSign, isFew } from './few-answers.ts';
import { formatTable, percent, type TableForm } from './table.ts';

/** What the known facts have of a missing fact, for people. */
export const halfTitles = {
  both: 'head and tail known with the relation',
  head: 'head alone',
  tail: 'tail alone',
  neither: 'neither',
} as const;

/** Some hard answers of a structure: what they have in common, null where the graph does not derive them, and their figures. */
interface ShownStratum {
  readonly key: number | string | null;
  readonly answers: number;
  readonly share: number;
  readonly mrr: number;
}

/**
 * A table of one model by the number of links that the smaller graph lacks.
 *
 * Each number has the share of its answers and their MRR; the last column is the mean of the MRRs.
 */
export function formatStrata(
  { name, strata }: ComparedModel,
  form: TableForm,
  width: number = Number.POSITIVE_INFINITY,
): string {
  const shown = mapStrata(strata, ({ missing, ...figures }) => ({ key: missing, ...figures }));
  const counts = [...new Set(Object.values(strata).flatMap((all) => all.map(({ missing }) => missing)))].sort(
    (a, b) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY),
  );
  const groups = counts.map((key) => ({ key, title: missingTitle(key) }));
  const all = Object.values(shown).flat();
  const count = answersOf(all);
  const table = strataTable(shown, { groups, form, width, head: 'share' }, (some, of = count) =>
    percent(answersOf(some) / of),
  );
  return `${name} by the links that the known facts lack\n\n${table}`;
}

/** A table of one model by the half-links that the smaller graph has of missing links: the number of answers, and their MRR. */
export function formatHalves(
  name: string,
  halves: HalfStrataReport,
  form: TableForm,
  width: number = Number.POSITIVE_INFINITY,
): string {
  const shown = mapStrata(halves, ({ known, ...figures }) => ({ key: known, ...figures }));
  const groups = [
    { key: 'both', title: 'both' },
    { key: 'head', title: '(h, r)' },
    { key: 'tail', title: '(r, t)' },
    { key: 'neither', title: 'neither' },
    { key: null, title: 'not derived' },
  ].filter(({ key }) => Object.values(shown).some((all) => all.some((each) => each.key === key)));
  const table = strataTable(shown, { groups, form, width, head: 'n' }, (some) => `${answersOf(some)}`);
  return `${name} by the half-links that the known facts have of the missing links (h, r, t)\n\n${table}`;
}

type ShownStrata = Readonly<Record<string, readonly ShownStratum[]>>;

function mapStrata<T>(
  strata: Readonly<Record<string, readonly T[]>>,
  shown: (stratum: T) => ShownStratum,
): ShownStrata {
  return Object.fromEntries(Object.entries(strata).map(([name, all]) => [name, all.map(shown)]));
}

interface StrataForm {
  readonly groups: readonly { readonly key: ShownStratum['key']; readonly title: string }[];
  readonly form: TableForm;
  readonly width: number;
  /** What stands before each MRR. */
  readonly head: string;
}

/** `size` says how many answers there are, of all answers of some. */
function strataTable(
  strata: ShownStrata,
  { groups, form, width, head }: StrataForm,
  size: (some: readonly ShownStratum[], of?: number) => string,
): string {
  const all = Object.values(strata).flat();
  const rows = Object.entries(strata).map(([structure, found]) => [
    structure,
    ...groups.flatMap(({ key }) => {
      const some = found.filter((each) => each.key === key);
      return some.length === 0 ? ['–', '–'] : [size(some, answersOf(found)), figure(some)];
    }),
    figure(derived(found)),
  ]);
  const together = groups.flatMap(({ key }) => [size(all.filter((each) => each.key === key)), '–']);
  const means = Object.values(strata).map((found) => mean(derived(found).map(({ mrr }) => mrr)));
  const sign = derived(all).some(({ answers }) => isFew(answers)) ? fewSign : '';
  const table = formatTable(
    {
      groups: [...groups.map(({ title }) => ({ title, columns: 2 })), { title: 'mean', columns: 1 }],
      head: [...groups.flatMap(() => [head, 'MRR']), 'MRR'],
      blocks: [rows, [['all answers', ...together, `${sign}${percent(mean(means))}`]]],
    },
    form,
    width,
  );
  return all.some(({ answers }) => isFew(answers)) ? `${table}\n\n${describeFew()}` : table;
}

/** The mean MRR of strata, with a sign if a stratum has few answers. */
function figure(strata: readonly ShownStratum[]): string {
  const sign = strata.some(({ answers }) => isFew(answers)) ? fewSign : '';
  return `${sign}${percent(mean(strata.map(({ mrr }) => mrr)))}`;
}

const derived = (strata: readonly ShownStratum[]): readonly ShownStratum[] =>
  strata.filter(({ key }) => key !== null);

const answersOf = (strata: readonly ShownStratum[]): number =>
  strata.reduce((sum, { answers }) => sum + answers, 0);

function mean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, each) => sum + each, 0) / known.length;
}

function missingTitle(missing: StrataReport[string][number]['missing']): string {
  if (missing === null) return 'not derived';
  return missing === 1 ? '1 link' : `${missing} links`;
}
