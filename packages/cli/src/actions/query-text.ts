import { FuzzError, type Vocabulary } from '@fuzzqe/core';
import { formatQuery, parseQueryText, type Query } from '@fuzzqe/core/query';
import { type Answer, reasonTexts, type SetsAnswerEntity, stateWords } from '@fuzzqe/engine';
import { formatColumns } from '../terminal/columns.ts';
import { shorten, textWidth } from '../terminal/text-width.ts';

/** A query out of text; where a name is not known, the error says where names are listed. */
export function parseWithHint(text: string, vocabulary: Vocabulary, bundle: string): Query {
  return withNameHint(bundle, () => parseQueryText(text, vocabulary));
}

/** Reads names of a bundle; where a name is not known, the error says where names are listed. */
export function withNameHint<T>(bundle: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof FuzzError) || cause.code !== 'vocabulary') throw cause;
    const where = `fuzzqe names ${bundle} TEXT searches names, with --relations those of relations`;
    throw new FuzzError('vocabulary', cause.message, {
      ...(cause.path === undefined ? {} : { path: cause.path }),
      hint: cause.hint === undefined ? where : `${cause.hint}\n  ${where}`,
      cause,
    });
  }
}

/** Puts the keys of entities next to labels that others have, or are called by, too: a table has nothing else to tell them apart. */
export function toldApart<Shown extends Answer>(answer: Shown, vocabulary: Vocabulary): Shown;
export function toldApart(answer: Answer, vocabulary: Vocabulary): Answer {
  const { findEntity } = vocabulary.withoutNearNames;
  const isOwn = (label: string, id: number): boolean => {
    try {
      return findEntity(label) === id;
    } catch {
      return false;
    }
  };
  const named = <Entity extends { readonly id: number; readonly key: string; readonly label: string }>(
    entity: Entity,
  ): Entity =>
    isOwn(entity.label, entity.id) ? entity : { ...entity, label: `${entity.label} (${entity.key})` };
  if (answer.mode === 'embedding') return { ...answer, answers: answer.answers.map(named) };
  const withLinks = (each: SetsAnswerEntity): SetsAnswerEntity =>
    each.links === undefined
      ? named(each)
      : {
          ...named(each),
          links: each.links.map((link) => ({
            ...link,
            head: named(link.head),
            tail: named(link.tail),
          })),
        };
  const { answers, suggestions } = answer;
  return { ...answer, answers: answers.map(withLinks), suggestions: suggestions.map(withLinks) };
}

/** The operands of a conjunction as text; none of other queries. */
export function operandTexts(query: Query, vocabulary: Vocabulary): readonly string[] {
  return query.op === 'and' ? query.operands.map((operand) => formatQuery(operand, vocabulary)) : [];
}

/** More operands than these do not fit with the names, and fewer in a narrow terminal; their degrees are in the JSON. */
const mostOperands = 4;

const isWithin = (lines: readonly string[], width: number): boolean =>
  lines.every((line) => textWidth(line) <= width);

/** How answers are shown. */
export interface AnswerLayout {
  readonly width: number;
  /** The lowest degree of an answer. */
  readonly minDegree?: number;
}

/** Scores of every family rank; their range is that of the family. */
const scoreMeaning = 'A score ranks the answers of this query. It is no probability.';

/** A table of the answers, and below them one of the suggestions. */
export function formatAnswers(answer: Answer, operands: readonly string[], layout: AnswerLayout): string[] {
  const { width, minDegree = 0.5 } = layout;
  const place = (i: number): string => `${i + 1}`.padStart(3);
  if (answer.mode === 'embedding')
    return [
      ...formatColumns(
        [{ right: true }, { cut: true }, { title: 'score' }, {}],
        answer.answers.map(({ label, score, known }, i) => [
          place(i),
          label,
          score.toFixed(4),
          known ? 'recorded' : '',
        ]),
        width,
      ),
      ...(answer.answers.length === 0 ? [] : ['', scoreMeaning]),
    ];
  const shown = operands.length > mostOperands ? [] : operands;
  const names = shown.map((_, i) => `[${i + 1}]`);
  const { answers, suggestions } = answer;
  const rows = [...answers, ...suggestions].map(({ label, degree, state, operands: each = [] }, i) => [
    place(i),
    label,
    formatDegree(degree),
    ...shown.map((_, at) => `${formatDegree(each[at]!.degree)}${each[at]!.known ? '*' : ''}`),
    stateWords[state],
  ]);
  const table = formatColumns(
    [
      { right: true },
      { cut: true },
      { title: shown.length === 0 ? '' : 'degree' },
      ...names.map((title) => ({ title })),
      {},
    ],
    rows,
    width,
  );
  const legend = shown.map((text, i) => [names[i]!, text]);
  if (legend.length > 0 && !isWithin(table, width)) return formatAnswers(answer, [], layout);
  const below = table.length - suggestions.length;
  const groups = [
    ...table.slice(0, below),
    ...(answers.length === 0 ? ['No answers.'] : []),
    ...(suggestions.length === 0 ? [] : ['', `Suggestions, below ${minDegree}:`, ...table.slice(below)]),
  ];
  if (legend.length === 0 || rows.length === 0) return groups;
  return [...groups, '', ...formatColumns([{}, { cut: true }], [...legend, ['*', 'recorded']], width)];
}

/** The links of each answer, one below the other. */
export function formatSupport(
  answers: readonly Pick<SetsAnswerEntity, 'label' | 'links'>[],
  width: number,
): string[] {
  const rows = answers.flatMap(({ label, links = [] }, i) =>
    links.map(({ head, relation, tail, recorded, degree }, at) => [
      at === 0 ? `${i + 1}` : '',
      at === 0 ? label : '',
      // An inverse is read the other way round, as its fact is recorded.
      relation.inverse ? tail.label : head.label,
      relation.label,
      relation.inverse ? head.label : tail.label,
      recorded ? 'recorded' : formatDegree(degree),
    ]),
  );
  if (rows.length === 0) return [];
  const table = formatColumns(
    [{ right: true }, { title: 'follows from', cut: true }, { cut: true }, { cut: true }, { cut: true }, {}],
    rows,
    width,
  );
  return ['', ...(isWithin(table, width) ? table : stacked(rows, width)), ...reasonLines(answers)];
}

/** What speaks for the predicted links of each answer, and against them, each link once. */
function reasonLines(answers: readonly Pick<SetsAnswerEntity, 'links'>[]): string[] {
  const told = new Set<string>();
  const lines = answers.flatMap(({ links = [] }) =>
    links.flatMap((link) => {
      const { head, relation, tail, recorded } = link;
      const title = relation.inverse
        ? `${tail.label} ${relation.label} ${head.label}`
        : `${head.label} ${relation.label} ${tail.label}`;
      const reasons = reasonTexts(link);
      if (recorded || told.has(title) || reasons.for.length + reasons.against.length === 0) return [];
      told.add(title);
      return [
        title,
        ...reasons.for.map((text) => `  + ${text}`),
        ...reasons.against.map((text) => `  − ${text}`),
      ];
    }),
  );
  return lines.length === 0 ? [] : ['', 'What speaks for a predicted fact (+) and against it (−):', ...lines];
}

/** The same rows where they do not fit next to each other: the answer, each link below it, and what the link rests on. */
function stacked(rows: readonly (readonly string[])[], width: number): string[] {
  const line = (indent: number, ...cells: readonly (string | undefined)[]): string =>
    ' '.repeat(indent) + shorten(cells.filter(Boolean).join('  '), Math.max(1, width - indent));
  return [
    'follows from',
    ...rows.flatMap(([place, label, head, relation, tail, degree, neighbour]) => [
      ...(place === '' ? [] : [line(0, place, label)]),
      line(3, head, relation, tail),
      line(5, degree, neighbour),
    ]),
  ];
}

/** Four places, or the power of ten where these would all be 0. */
export function formatDegree(degree: number): string {
  return degree >= 1e-4 || degree === 0 ? degree.toFixed(4) : degree.toExponential(0);
}
