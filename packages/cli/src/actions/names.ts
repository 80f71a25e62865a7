import { exampleQuery } from '../names/example-query.ts';
import { formatEntities, formatRelations, formatTexts } from '../names/format-names.ts';
import { openNamedGraph, relationsOf } from '../names/named-graph.ts';
import { signatureOptions } from '../options/read-key.ts';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { nextCommandWithData } from './data/query-files.ts';

/** What `fuzzqe names` was told. */
export interface NamesFlags {
  /** A file. */
  readonly requireSignature?: string;
  readonly relations?: boolean;
  readonly limit: number;
  readonly json?: boolean;
}

/** Does `fuzzqe names`. */
export async function listNames(
  terminal: Terminal,
  place: string,
  text: string | undefined,
  { relations: wantsRelations, limit, json, requireSignature }: NamesFlags,
): Promise<NextCommand> {
  const graph = await openNamedGraph(place, await signatureOptions(requireSignature), terminal.note);
  const { vocabulary, facts } = graph;
  const asked = (text ?? '').trim();
  const write = <T>(
    kind: string,
    all: number,
    total: number,
    results: readonly T[],
    lines: readonly string[],
  ): void => {
    if (json) {
      terminal.out(JSON.stringify({ kind, total, results }));
      return;
    }
    if (results.length > 0) lines.forEach(terminal.out);
    else if (asked !== '') terminal.note(`None of ${all} ${kind} is called like "${asked}".`);
    if (results.length > 0 && results.length < total)
      terminal.note(`${asked === '' ? 'The first ' : 'The best '}${results.length} of ${total} ${kind}`);
  };
  let relation: number | undefined;
  if (wantsRelations) {
    const all = relationsOf(graph);
    const { total, results } = vocabulary.searchRelations(asked, { limit });
    const found = asked === '' ? all : results.map(({ id }) => all[id / 2]!);
    const listed = found.slice(0, limit);
    relation = listed.find((each) => each.facts > 0)?.id;
    const matches = asked === '' ? all.length : total;
    write('relations', all.length, matches, listed, formatRelations(listed, terminal.columns));
  } else {
    const all = vocabulary.entityCount;
    const { total, results } = vocabulary.searchEntities(asked, { limit });
    const ids: readonly number[] =
      asked === ''
        ? Array.from({ length: Math.min(limit, all) }, (_, id) => id)
        : results.map(({ id }) => id);
    const listed = await Promise.all(
      ids.map(async (id) => ({
        ...{ id, ...vocabulary.entity(id), facts: facts.degree(id) },
        ...(json === true || ids.length === 1 ? await graph.textsOf(id) : {}),
      })),
    );
    const matches = asked === '' ? all : total;
    const [only] = listed;
    const lines = formatEntities(listed, terminal.columns);
    if (listed.length === 1 && only !== undefined) lines.push(...formatTexts(only));
    write('entities', all, matches, listed, lines);
  }
  const example = exampleQuery(graph, relation);
  return graph.isBundle ? ['query', place, example] : nextCommandWithData(place, example);
}
