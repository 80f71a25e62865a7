/** How often something holds of a relation, among what it could hold of. */
export interface Finding {
  /** `always`: hits = of. `mostly`: share ≥ 0.8. `never`: no hit. `unknown`: there is nothing it could hold of. */
  readonly verdict: 'always' | 'mostly' | 'sometimes' | 'never' | 'unknown';
  readonly hits: number;
  readonly of: number;
  /** hits / of; 0 where `of` is 0. */
  readonly share: number;
  /** Whether there are fewer than 5 cases, so that the verdict may be chance. */
  readonly few: boolean;
}

/** From this share on something holds mostly. */
export const mostly = 0.8;

/** From so many cases on a verdict is not called one of few. */
export const enoughCases = 5;

/** The verdict on `hits` of `of` cases. */
export function findingOf(hits: number, of: number): Finding {
  const share = of === 0 ? 0 : hits / of;
  return { verdict: verdictOf(hits, of), hits, of, share, few: of < enoughCases };
}

function verdictOf(hits: number, of: number): Finding['verdict'] {
  if (of === 0) return 'unknown';
  if (hits === 0) return 'never';
  if (hits === of) return 'always';
  return hits / of >= mostly ? 'mostly' : 'sometimes';
}
