import { FuzzError } from '@fuzzqe/core';
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
 * Each further line is a rule of four cells: the relation, hits, predictions, and the body, `path r₁ … rₙ` of r(X, Y) ← r₁, …, rₙ or
 * `constant c q d` of r(X, c) ← q(X, d). Cells are separated by one tab, numbers of a body by one space; each line ends with `\n`.
 *
 * @throws FuzzError `range`: sets of another number of relations than the graph.
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
 * @throws FuzzError `data`: a text of another form, with its line; rules of another graph, or of other facts where both digests are
 *   known; ids out of range; counts that are none; a rule that was there before.
 */
export function readRules(text: string, { path = 'rules.tsv', ...graph }: ReadRulesOptions): RuleSet {
  const lines = text.split('\n');
  checkHeader(lines[0]!, graph, path);
  if (lines.at(-1) !== '')
    throw new FuzzError('data', 'the last line: expected its end, got the end of the file', {
      path: `${path}:${lines.length}`,
      hint: damagedHint,
    });
  const rules: Rule[] = [];
  const known = new Set<string>();
  for (let i = 1; i < lines.length - 1; i++) {
    const read = readRule(lines[i]!, graph);
    const problem = typeof read === 'string' ? read : repeated(read, known);
    if (typeof read === 'string' || problem !== undefined)
      throw new FuzzError('data', problem!, { path: `${path}:${i + 1}`, hint: damagedHint });
    rules.push(read);
  }
  return { relationCount: graph.relationCount, rules };
}

const damagedHint =
  'Rules are lines of: relation, hits, predictions, `path r …` or `constant c q d`. Mine them again.';

function checkHeader(line: string, { entityCount, relationCount, digest }: RulesGraph, path: string): void {
  const [name, version, entities, relations, facts, ...rest] = line.split('\t');
  const bad = (message: string, hint: string): FuzzError =>
    new FuzzError('data', message, { path: `${path}:1`, hint });
  const isHeader = name === format[0] && facts !== undefined && rest.length === 0;
  if (!isHeader || numberOf(entities!) < 0 || numberOf(relations!) < 0)
    throw bad(
      `expected the first line of a file of rules, ${format.join(' ')} |E| |R| digest, got ${JSON.stringify(line.slice(0, 80))}`,
      damagedHint,
    );
  if (version !== format[1])
    throw bad(
      `expected rules of format version ${format[1]}, got ${version}`,
      'Mine the rules again with this version of FuzzQE.',
    );
  if (numberOf(entities!) !== entityCount || numberOf(relations!) !== relationCount)
    throw bad(
      `the rules are of another graph: expected ${entityCount} entities and ${relationCount} relations, got ${entities} and ${relations}`,
      'Mine rules from this graph, or give the graph that the rules were mined from.',
    );
  if (digest !== undefined && facts !== '-' && digest !== facts)
    throw bad(
      `the rules are of other facts: expected those with SHA-256 ${digest}, got ${facts}`,
      'Mine rules from these facts, or give the facts that the rules were mined from.',
    );
}

/** The rule of a line, or what is wrong with it. */
function readRule(line: string, { entityCount, relationCount }: RulesGraph): Rule | string {
  const cells = line.split('\t');
  if (cells.length !== 4) return `expected 4 cells, got ${cells.length}`;
  const [relation, hits, predictions] = [numberOf(cells[0]!), numberOf(cells[1]!), numberOf(cells[2]!)];
  const isRelation = (id: number): boolean => id >= 0 && id < relationCount;
  const isEntity = (id: number): boolean => id >= 0 && id < entityCount;
  if (!isRelation(relation))
    return `relation: expected an id in [0, ${relationCount}), got ${shown(cells[0]!)}`;
  if (hits < 1 || predictions < hits)
    return `hits and predictions: expected 1 ≤ hits ≤ predictions, got ${shown(cells[1]!)} and ${shown(cells[2]!)}`;
  const [kind, ...words] = cells[3]!.split(' ');
  const ids = words.map(numberOf);
  if (kind === 'path') {
    if (ids.length < 1 || ids.length > 3 || !ids.every(isRelation))
      return `path: expected 1 to 3 relations in [0, ${relationCount}), got ${shown(words.join(' '))}`;
    return { kind, relation, hits, predictions, path: ids };
  }
  if (kind !== 'constant') return `expected a body \`path …\` or \`constant …\`, got ${shown(cells[3]!)}`;
  const [tail = -1, along = -1, to = -1] = ids;
  if (ids.length !== 3 || !isEntity(tail) || !isRelation(along) || !isEntity(to))
    return `constant: expected an entity in [0, ${entityCount}), a relation and an entity, got ${shown(words.join(' '))}`;
  return { kind, relation, hits, predictions, tail, body: { relation: along, tail: to } };
}

/** Notes a rule; a rule that was there before is a problem. */
function repeated(rule: Rule, known: Set<string>): string | undefined {
  const { size } = known;
  known.add(`${rule.relation} ${bodyText(rule)}`);
  return known.size > size ? undefined : 'expected each rule once, got one that an earlier line has';
}

/** A whole number as it is written once; −1 of any other text. */
function numberOf(text: string): number {
  return /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : -1;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
