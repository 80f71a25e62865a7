import { FuzzError, type Vocabulary } from '@fuzzqe/core';
import { formatQuery, parseQueryText, type Query } from '@fuzzqe/core/query';
import {
  type Answer,
  type AnswerMode,
  type AnswerOptions,
  openEngine,
  type SetsAnswer,
} from '@fuzzqe/engine';
import { bundleFolder, folderSource, nodeSessions } from '@fuzzqe/serve';
import { signatureOptions } from '../options/read-key.ts';
import { formatColumns } from '../terminal/columns.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { shorten, textWidth } from '../terminal/text-width.ts';

/** What `fuzzqe query` was told. */
export interface QueryFlags {
  /** A file. */
  readonly requireSignature?: string;
  readonly k?: number;
  readonly exclude: 'known' | 'none';
  readonly mode: AnswerMode;
  readonly minDegree?: number;
  readonly probability?: boolean;
  /** A query in the text notation. */
  readonly filter?: string;
  readonly explain?: boolean;
  readonly profile?: string;
  readonly json?: boolean;
}

/** Does `fuzzqe query`. */
export async function answerText(
  terminal: Terminal,
  bundle: string,
  text: string,
  { profile, json, requireSignature, filter, ...flags }: QueryFlags,
): Promise<NextCommand> {
  const folder = await bundleFolder(bundle, { onNote: terminal.note });
  const engine = await openEngine({
    source: folderSource(folder),
    sessions: nodeSessions(folder),
    ...(profile === undefined ? {} : { profile }),
    ...(await signatureOptions(requireSignature)),
  });
  try {
    const query = parseWithHint(text, engine.vocabulary, bundle);
    const only =
      filter === undefined ? {} : { filter: { query: parseWithHint(filter, engine.vocabulary, bundle) } };
    // The engine refuses what the mode does not have.
    const answer = await engine.answer(query, { ...flags, ...only } as AnswerOptions);
    if (json) terminal.out(JSON.stringify({ query: formatQuery(query, engine.vocabulary), ...answer }));
    else {
      const general = answer.mode === 'sets' ? engine.warnings : [];
      for (const warning of [...general, ...answer.warnings]) terminal.note(`Note: ${warning}`);
      const shown = toldApart(answer, engine.vocabulary);
      formatAnswers(shown, operandTexts(query, engine.vocabulary), terminal.columns).forEach(terminal.out);
      if (flags.explain && shown.mode === 'sets')
        formatSupport(shown, terminal.columns).forEach(terminal.out);
    }
    return ['serve', bundle];
  } finally {
    await engine.close();
  }
}

/** A query out of text; where a name is not known, the error says where names are listed. */
function parseWithHint(text: string, vocabulary: Vocabulary, bundle: string): Query {
  try {
    return parseQueryText(text, vocabulary);
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

/** Puts the keys of entities beside labels that others have, or are called by, too: a table has nothing else to tell them apart. */
function toldApart(answer: Answer, vocabulary: Vocabulary): Answer {
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
  const answers = answer.answers.map((each) =>
    each.links === undefined
      ? named(each)
      : {
          ...named(each),
          links: each.links.map((link) => ({
            ...link,
            head: named(link.head),
            tail: named(link.tail),
            neighbours: link.neighbours.map(named),
          })),
        },
  );
  return { ...answer, answers };
}

/** The operands of a conjunction as text; none of other queries. */
function operandTexts(query: Query, vocabulary: Vocabulary): readonly string[] {
  return query.op === 'and' ? query.operands.map((operand) => formatQuery(operand, vocabulary)) : [];
}

/** More operands than these do not fit beside the names, and fewer in a narrow terminal; their degrees are in the JSON. */
const mostOperands = 4;

const isWithin = (lines: readonly string[], width: number): boolean =>
  lines.every((line) => textWidth(line) <= width);

function formatAnswers(answer: Answer, operands: readonly string[], width: number): string[] {
  const place = (i: number): string => `${i + 1}`.padStart(3);
  const recorded = (known: boolean): string => (known ? 'recorded' : '');
  if (answer.mode === 'embedding')
    return formatColumns(
      [{ right: true }, { cut: true }, {}, {}],
      answer.answers.map(({ label, score, known }, i) => [
        place(i),
        label,
        score.toFixed(4),
        recorded(known),
      ]),
      width,
    );
  const shown = operands.length > mostOperands ? [] : operands;
  const likely = answer.answers.some(({ probability }) => probability !== undefined);
  const names = shown.map((_, i) => `[${i + 1}]`);
  const table = formatColumns(
    [
      { right: true },
      { cut: true },
      { title: shown.length === 0 && !likely ? '' : 'degree' },
      ...(likely ? [{ title: 'likely', right: true }] : []),
      ...names.map((title) => ({ title })),
      {},
    ],
    answer.answers.map(({ label, degree, known, probability, operands: each = [] }, i) => [
      place(i),
      label,
      formatDegree(degree),
      ...(likely ? [probability === undefined ? '' : percent(probability)] : []),
      ...shown.map((_, at) => `${formatDegree(each[at]!.degree)}${each[at]!.known ? '*' : ''}`),
      recorded(known),
    ]),
    width,
  );
  const legend = shown.map((text, i) => [names[i]!, text]);
  if (legend.length === 0) return table;
  if (!isWithin(table, width)) return formatAnswers(answer, [], width);
  return [...table, '', ...formatColumns([{}, { cut: true }], [...legend, ['*', 'recorded']], width)];
}

/** The links of each answer, one below the other. */
function formatSupport({ answers }: SetsAnswer, width: number): string[] {
  const rows = answers.flatMap(({ label, links = [] }, i) =>
    links.map(({ head, relation, tail, recorded, degree, neighbours }, at) => [
      at === 0 ? `${i + 1}` : '',
      at === 0 ? label : '',
      // An inverse is read the other way round, as its fact is recorded.
      relation.inverse ? tail.label : head.label,
      relation.label,
      relation.inverse ? head.label : tail.label,
      recorded ? 'recorded' : formatDegree(degree),
      // The most similar head that has the same recorded; a line has room for no more.
      neighbours[0] === undefined ? '' : `as for ${neighbours[0].label}`,
    ]),
  );
  if (rows.length === 0) return [];
  const table = formatColumns(
    [
      { right: true },
      { title: 'follows from', cut: true },
      { cut: true },
      { cut: true },
      { cut: true },
      {},
      { cut: true },
    ],
    rows,
    width,
  );
  return ['', ...(isWithin(table, width) ? table : stacked(rows, width))];
}

/** The same rows where they do not fit beside each other: the answer, each link below it, and what the link rests on. */
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

function percent(probability: number): string {
  return `${(100 * probability).toFixed(probability < 0.1 ? 1 : 0)} %`;
}

/** Four places, or the power of ten where these would all be 0. */
function formatDegree(degree: number): string {
  return degree >= 1e-4 || degree === 0 ? degree.toFixed(4) : degree.toExponential(0);
}
