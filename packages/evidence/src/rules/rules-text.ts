import { FuzzError } from '@fuzzqe/core';
import { longestPath } from './expand-path.ts';
import { createKnownRules } from './known-rules.ts';
import { compareRules, type Rule, type RuleSet } from './rule-set.ts';

/** The name and the version of the format. */
const format = ['fuzzqe-rules', '1'] as const;

/** The sizes of the graph that rules belong to, and the SHA-256 of its facts (`graphDigest`) where it is known. */
export interface RulesGraph {
  readonly entityCount: number;
  readonly relationCount: number;
  readonly digest?: string;
}

/** How to read rules. */
export interface ReadRulesOptions extends RulesGraph {
  /** The file, for errors. Default `rules.tsv`. */
  readonly path?: string;
}

/**
 * Writes rules as the text of `rules.tsv`, in the order of `compareRules`: same rules, same bytes.
 *
 * The first line has five cells: `fuzzqe-rules`, the version 1, |E|, |R| with inverses, and the SHA-256 of the graph's facts or `-`.
 * Each further line is a rule of four cells: the relation r, hits, predictions, and the body, which is `path r₁ … rₙ` for
 * r(X, Y) ← r₁, …, rₙ or `constant c q d` for r(X, c) ← q(X, d). One tab separates cells, one space separates the words of a body,
 * and each line ends with a line feed. Ids and counts are decimal without leading zeros.
 *
 * @throws FuzzError `range`: a set with another number of relations than the graph.
 * @example
 * const mined = await mineRules(graph, { random: createRandom('rules', 1), seconds: 10 });
 * const lines = writeRules(mined, graph);
 */
export function writeRules(set: RuleSet, { entityCount, relationCount, digest = '-' }: RulesGraph): string {
  if (set.relationCount !== relationCount)
    throw new FuzzError('range', `rules: expected ${relationCount} relations, got ${set.relationCount}`, {
      hint: 'Write rules with the sizes of the graph that they were mined from.',
    });
  const lines = [...set.rules].sort(compareRules).map((rule) => {
    const { relation, hits, predictions } = rule;
    return `${relation}\t${hits}\t${predictions}\t${bodyText(rule)}\n`;
  });
  return `${[...format, entityCount, relationCount, digest].join('\t')}\n${lines.join('')}`;
}

function bodyText(rule: Rule): string {
  if (rule.kind === 'path') return `path ${rule.path.join(' ')}`;
  return `constant ${rule.tail} ${rule.body.relation} ${rule.body.tail}`;
}

/**
 * Reads the text that `writeRules` wrote for a graph.
 *
 * @throws FuzzError `data`: a text of another form, with its line; rules of another graph, or of other facts if both digests are
 *   known; ids out of range; counts other than 1 ≤ hits ≤ predictions < 2³¹; a rule that an earlier line has.
 * @example
 * const rules = createRuleIndex(readRules(text, graph));
 */
export function readRules(text: string, { path = 'rules.tsv', ...graph }: ReadRulesOptions): RuleSet {
  const header = lineEnd(text, 0);
  checkHeader(text.slice(0, header), graph, path);
  const rules: Rule[] = [];
  const isNew = createKnownRules();
  const refuse = (line: number, message: string): never => {
    throw new FuzzError('data', message, { path: `${path}:${line}`, hint: damagedHint });
  };
  if (header === text.length) refuse(1, 'expected a line feed, got the end of the file');
  const cursor: Cursor = { at: 0, end: header };
  while (cursor.end + 1 < text.length) {
    const line = rules.length + 2;
    const start = cursor.end + 1;
    cursor.at = start;
    cursor.end = lineEnd(text, start);
    if (cursor.end === text.length) refuse(line, 'expected a line feed, got the end of the file');
    const rule = readRule(text, cursor, graph);
    if (typeof rule === 'string') return refuse(line, rule);
    if (!isNew(rule)) refuse(line, 'expected each rule once, got a rule that an earlier line has');
    rules.push(rule);
  }
  return { relationCount: graph.relationCount, rules };
}

const damagedHint =
  'A rule is a line of relation, hits, predictions, and `path r …` or `constant c q d`. Mine the rules again.';

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

function checkHeader(line: string, { entityCount, relationCount, digest }: RulesGraph, path: string): void {
  const bad = (message: string, hint: string): FuzzError =>
    new FuzzError('data', message, { path: `${path}:1`, hint });
  const [name, version, entities = '', relations = '', facts, ...rest] = line.split('\t');
  if (name === format[0] && version !== format[1])
    throw bad(
      `expected rules of format version ${format[1]}, got ${shown(version ?? '')}`,
      'Mine the rules again with this version of FuzzQE.',
    );
  const hasForm = name === format[0] && facts !== undefined && rest.length === 0;
  if (!hasForm || !/^\d+$/.test(entities) || !/^\d+$/.test(relations))
    throw bad(
      `expected the first line of a file of rules, \`${format.join(' ')} |E| |R| digest\`, got ${shown(line)}`,
      'Name a file that FuzzQE wrote, or mine the rules again.',
    );
  if (entities !== `${entityCount}` || relations !== `${relationCount}`)
    throw bad(
      `the rules are of another graph: expected ${entityCount} entities and ${relationCount} relations, got ${shown(entities)} and ${shown(relations)}`,
      'Mine rules from this graph, or give the graph that the rules were mined from.',
    );
  if (digest !== undefined && facts !== '-' && digest !== facts)
    throw bad(
      `the rules are of other facts: expected facts with SHA-256 ${digest}, got ${shown(facts)}`,
      'Mine rules from these facts, or give the facts that the rules were mined from.',
    );
}

/** A place in a line. */
interface Cursor {
  at: number;
  end: number;
}

/** The rule of a line, or what is wrong with it. */
function readRule(text: string, cursor: Cursor, graph: RulesGraph): Rule | string {
  const { entityCount, relationCount } = graph;
  const start = cursor.at;
  const bad = (): string =>
    `expected relation, hits, predictions and \`path r …\` or \`constant c q d\`, got ${shown(text.slice(start, cursor.end))}`;
  const relation = readNumber(text, cursor);
  if (relation < 0 || !take(text, cursor, '\t')) return bad();
  const hits = readNumber(text, cursor);
  if (hits < 0 || !take(text, cursor, '\t')) return bad();
  const predictions = readNumber(text, cursor);
  if (predictions < 0 || !take(text, cursor, '\t')) return bad();
  const isPath = take(text, cursor, 'path');
  if (!isPath && !take(text, cursor, 'constant')) return bad();
  const ids: number[] = [];
  while (cursor.at < cursor.end) {
    const id = take(text, cursor, ' ') ? readNumber(text, cursor) : -1;
    if (id < 0 || ids.length === longestPath) return bad();
    ids.push(id);
  }
  if (ids.length === 0 || (!isPath && ids.length !== 3)) return bad();
  if (relation >= relationCount) return `relation: expected an id in [0, ${relationCount}), got ${relation}`;
  if (hits < 1 || predictions < hits || predictions > mostPredictions)
    return `hits and predictions: expected 1 ≤ hits ≤ predictions < 2³¹, got ${hits} and ${predictions}`;
  if (isPath) {
    if (ids.some((id) => id >= relationCount))
      return `path: expected relations in [0, ${relationCount}), got ${ids.join(' ')}`;
    return { kind: 'path', relation, hits, predictions, path: ids };
  }
  const [tail, along, to] = [ids[0]!, ids[1]!, ids[2]!];
  if (tail >= entityCount || along >= relationCount || to >= entityCount)
    return `constant: expected entities in [0, ${entityCount}) and a relation in [0, ${relationCount}), got ${ids.join(' ')}`;
  return { kind: 'constant', relation, hits, predictions, tail, body: { relation: along, tail: to } };
}

const mostPredictions = 2 ** 31 - 1;
/** How many digits a number may have: enough for 2³¹. */
const mostDigits = 10;

/** The number at a cursor, which moves behind it; −1 of anything but digits without leading zeros. */
function readNumber(text: string, cursor: Cursor): number {
  const { at, end } = cursor;
  let value = 0;
  let next = at;
  for (; next < end; next++) {
    const digit = text.charCodeAt(next) - 48;
    if (digit < 0 || digit > 9) break;
    value = 10 * value + digit;
  }
  const digits = next - at;
  cursor.at = next;
  return digits === 0 || digits > mostDigits || (digits > 1 && text.charCodeAt(at) === 48) ? -1 : value;
}

/** Whether a text stands at a cursor, which then moves behind it. */
function take(text: string, cursor: Cursor, wanted: string): boolean {
  const isThere = text.startsWith(wanted, cursor.at);
  if (isThere) cursor.at += wanted.length;
  return isThere;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
