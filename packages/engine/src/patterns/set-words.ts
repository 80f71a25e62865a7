import type { SetSupport } from './pattern-answer.ts';

/** Why a variable is in the set of a condition on values or on likeness: `?x: height > 200 (height 203)`. */
export function setWords(set: SetSupport): string {
  if ('where' in set) {
    const values = set.values.map(({ label, value }) => `${label} ${value}`);
    return `?${set.variable}: ${set.where} (${values.join(', ')})`;
  }
  const shared = set.shared.map(({ relation, entity }) => `${relation.label} ${entity.label}`);
  return `?${set.variable} is like ${set.like.label}${likenessWords(shared, set.byModel)}`;
}

/** What makes two entities alike: `: both borders Germany, language French, and 0.31 by the model`. */
export function likenessWords(shared: readonly string[], byModel?: number): string {
  const both = shared.length === 0 ? [] : [`both ${shared.join(', ')}`];
  const model = byModel === undefined ? [] : [`${byModel.toFixed(2)} by the model`];
  return `: ${[...both, ...model].join(', and ')}`;
}
