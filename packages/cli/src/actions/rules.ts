import type { Vocabulary } from '@fuzzqe/core';
import { compareRules, confidenceOf, type Rule, ruleExamples } from '@fuzzqe/evidence';
import { describeExample, describeRule } from '../rules/describe-rule.ts';
import { type OpenRulesOptions, openRules } from '../rules/open-rules.ts';
import { interruptible } from '../terminal/interrupt.ts';
import { createNamedProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe rules` was told. */
export interface RulesFlags extends Pick<OpenRulesOptions, 'data' | 'seconds' | 'seed' | 'workers'> {
  readonly limit: number;
  readonly json?: boolean;
}

/** How many examples a rule is shown with. */
const examplesShown = 3;

/** Does `fuzzqe rules`. */
export async function listRules(
  terminal: Terminal,
  place: string,
  relation: string | undefined,
  { limit, json = false, ...options }: RulesFlags,
): Promise<void> {
  const showProgress = createNamedProgress(terminal);
  const { vocabulary, facts, set, source } = await interruptible(terminal, (signal) =>
    openRules(place, {
      ...options,
      signal,
      onNote: terminal.note,
      onProgress: ({ round, done, total }) =>
        showProgress(`Mining rules, round ${round + 1}`, 'relations', done, total),
    }),
  );
  terminal.status('');
  const wanted = relation === undefined ? undefined : findDirected(relation, vocabulary);
  const rules =
    wanted === undefined ? eachOnce(set.rules) : set.rules.filter((rule) => rule.relation === wanted);
  const found = [...rules].sort((a, b) => confidenceOf(b) - confidenceOf(a) || compareRules(a, b));
  const shown = found.slice(0, limit).map((rule) => ({
    rule,
    sentence: describeRule(rule, vocabulary),
    examples: ruleExamples(facts, rule, examplesShown).map((entities) =>
      describeExample(rule, entities, vocabulary),
    ),
  }));
  if (json) {
    const rules = shown.map(({ rule, sentence, examples }) => ({
      sentence,
      ...inJson(rule, vocabulary),
      examples,
    }));
    terminal.out(JSON.stringify({ source, total: found.length, rules }));
    return;
  }
  shown.forEach(({ rule, sentence, examples }, i) => {
    terminal.out(`${i + 1}. ${sentence}`);
    terminal.out(`   ${describeSupport(rule)}`);
    for (const example of examples) terminal.out(`   e.g. ${example}`);
  });
  terminal.note(
    found.length === 0
      ? `No rules; ${source}`
      : `The best ${shown.length} of ${found.length} rules; ${source}`,
  );
}

/** The rules without those of inverse relations that the rule of the forward relation says, too: one path, read from its other end. */
function eachOnce(rules: readonly Rule[]): Rule[] {
  const keyOf = (relation: number, path: readonly number[]): string => `${relation}: ${path}`;
  const known = new Set(
    rules.flatMap((rule) => (rule.kind === 'path' ? keyOf(rule.relation, rule.path) : [])),
  );
  return rules.filter((rule) => {
    if (rule.kind !== 'path' || rule.relation % 2 === 0) return true;
    const backwards = rule.path.map((relation) => relation ^ 1).reverse();
    return !known.has(keyOf(rule.relation ^ 1, backwards));
  });
}

/** `28 of 30 predictions are recorded, confidence 0.80`. */
function describeSupport(rule: Rule): string {
  const { hits, predictions } = rule;
  return `${hits} of ${predictions} predictions are recorded, confidence ${confidenceOf(rule).toFixed(2)}`;
}

/** The relation of a name, or its inverse where `^-1` follows the name. */
function findDirected(name: string, vocabulary: Vocabulary): number {
  const suffix = '^-1';
  if (!name.endsWith(suffix) || vocabulary.hasRelation(name)) return vocabulary.findRelation(name);
  return vocabulary.findRelation(name.slice(0, -suffix.length)) ^ 1;
}

function inJson(rule: Rule, vocabulary: Vocabulary): object {
  const { hits, predictions } = rule;
  const relationKey = (id: number): string => vocabulary.relation(id).key;
  const entityKey = (id: number): string => vocabulary.entity(id).key;
  const body =
    rule.kind === 'path'
      ? { path: rule.path.map(relationKey) }
      : {
          tail: entityKey(rule.tail),
          body: { relation: relationKey(rule.body.relation), tail: entityKey(rule.body.tail) },
        };
  const counts = { hits, predictions, confidence: confidenceOf(rule) };
  return { kind: rule.kind, relation: relationKey(rule.relation), ...body, ...counts };
}
