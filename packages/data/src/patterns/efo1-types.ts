import { type PatternType, patternType } from './pattern-type.ts';

/**
 * The types of queries beyond trees that FIT measures, in its order; x is the answer.
 *
 * m: several links between two variables; n: one of them negated; il: a variable that nothing but one link restricts; c: a cycle; p: a
 * projection behind or before. `pni` asks for some ?y without the link, where the tree `pni` asks for no ?y with the link.
 * Source: FIT (ICLR 2024), the real EFO1 data set.
 */
const texts = {
  pni: '?x : r1(a, ?y), not r2(?y, ?x), r3(b, ?x)',
  '2il': '?x : r1(a, ?x), r2(?y, ?x)',
  '3il': '?x : r1(a, ?x), r2(b, ?x), r3(?y, ?x)',
  '2m': '?x : r1(a, ?y), r2(?y, ?x), r3(?y, ?x)',
  '2nm': '?x : r1(a, ?y), r2(?y, ?x), not r3(?y, ?x)',
  '3mp': '?x : r1(a, ?y), r2(?y, ?z), r3(?y, ?z), r4(?z, ?x)',
  '3pm': '?x : r1(a, ?y), r2(?y, ?z), r3(?z, ?x), r4(?z, ?x)',
  im: '?x : r1(a, ?y), r2(b, ?y), r3(?y, ?x), r4(?y, ?x)',
  '3c': '?x : r1(a, ?y), r2(?y, ?x), r3(b, ?z), r4(?z, ?x), r5(?y, ?z)',
  '3cm': '?x : r1(a, ?y), r2(?y, ?x), r3(b, ?z), r4(?z, ?x), r5(?y, ?z), r6(?y, ?x)',
} as const;

/** The name of a type of FIT. */
export type Efo1Name = keyof typeof texts;

/** The types of FIT, by name. */
export const efo1Types: Readonly<Record<Efo1Name, PatternType<Efo1Name>>> = Object.fromEntries(
  Object.entries(texts).map(([name, text]) => [name, patternType(name, text)]),
) as Record<Efo1Name, PatternType<Efo1Name>>;

/** Their names, in the order of FIT. */
export const efo1Names = Object.keys(texts) as readonly Efo1Name[];
