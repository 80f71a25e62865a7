import { comparePaths, type Rule } from './rule-set.ts';

/** Notes rules in a table of open addressing: whether a rule is new, its counts aside. */
export function createKnownRules(): (rule: Rule) => boolean {
  const rules: Rule[] = [];
  let mask = 2 ** 10 - 1;
  /** Numbers of rules, plus 1. */
  let table = new Int32Array(mask + 1);

  /** The slot of an equal rule, or of none. */
  const slotOf = (rule: Rule): number => {
    let slot = hashOf(rule) & mask;
    while (table[slot] !== 0 && !haveOneBody(rules[table[slot]! - 1]!, rule)) slot = (slot + 1) & mask;
    return slot;
  };

  return (rule) => {
    const slot = slotOf(rule);
    if (table[slot] !== 0) return false;
    table[slot] = rules.push(rule);
    if (2 * rules.length > mask) {
      mask = 2 * mask + 1;
      table = new Int32Array(mask + 1);
      for (let i = 0; i < rules.length; i++) table[slotOf(rules[i]!)] = i + 1;
    }
    return true;
  };
}

function hashOf(rule: Rule): number {
  let hash = Math.imul(rule.relation + 1, 0x9e37_79b1);
  if (rule.kind === 'path')
    for (let i = 0; i < rule.path.length; i++) hash = Math.imul(hash ^ (rule.path[i]! + 1), 0x85eb_ca6b);
  else {
    hash = Math.imul(hash ^ ~rule.tail, 0x85eb_ca6b);
    hash = Math.imul(hash ^ (rule.body.relation + 1), 0xc2b2_ae35);
    hash = Math.imul(hash ^ (rule.body.tail + 1), 0x85eb_ca6b);
  }
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b_3c6d);
  return hash ^ (hash >>> 13);
}

/** Whether two rules say the same, whatever their counts. */
function haveOneBody(a: Rule, b: Rule): boolean {
  if (a.relation !== b.relation) return false;
  if (a.kind === 'path') return b.kind === 'path' && comparePaths(a.path, b.path) === 0;
  if (b.kind === 'path') return false;
  return a.tail === b.tail && a.body.relation === b.body.relation && a.body.tail === b.body.tail;
}
