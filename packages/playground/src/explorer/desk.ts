import type { NamedRelation } from '@fuzzqe/engine';

/** A name as it is kept: keys stay what they are in later versions of a graph, ids do not. */
export interface KeptName {
  readonly key: string;
  readonly label: string;
}

/** A fact that the model suggests, in the direction of the relation of the data. */
export interface SuggestedFact {
  readonly head: KeptName;
  readonly relation: KeptName;
  readonly tail: KeptName;
  /** How likely it is, in (0, 1). */
  readonly degree: number;
}

/** What a curator says of a suggestion. */
export type Verdict = 'accepted' | 'rejected';

/** A suggestion that was judged. */
export interface JudgedFact {
  readonly fact: SuggestedFact;
  readonly verdict: Verdict;
  /** Whether a server has the verdict; otherwise this browser alone has it. */
  readonly isWritten?: boolean;
}

/** Everything that was judged, in the order in which it was. */
export type Desk = readonly JudgedFact[];

/** A suggestion for an entity, as a fact: of an inverse relation the other one is the head. */
export function factOf(
  entity: KeptName,
  relation: Pick<NamedRelation, 'key' | 'label' | 'inverse'>,
  other: KeptName & { readonly degree: number },
): SuggestedFact {
  const [one, two] = [nameOf(entity), nameOf(other)];
  return {
    head: relation.inverse ? two : one,
    relation: { key: relation.key.replace(/\^-1$/, ''), label: relation.label },
    tail: relation.inverse ? one : two,
    degree: other.degree,
  };
}

/** Tells a fact from all others. */
export function factKey({ head, relation, tail }: SuggestedFact): string {
  return JSON.stringify([head.key, relation.key, tail.key]);
}

/** A fact in one line, as the names of buttons have it. */
export function factText({ head, relation, tail }: SuggestedFact): string {
  return `${head.label}, ${relation.label}, ${tail.label}`;
}

/** What was said of a fact; nothing where it was not judged. */
export function judgedFact(desk: Desk, fact: SuggestedFact): JudgedFact | undefined {
  const key = factKey(fact);
  return desk.find((each) => factKey(each.fact) === key);
}

/** The verdict on a fact; nothing where it was not judged. */
export function verdictOf(desk: Desk, fact: SuggestedFact): Verdict | undefined {
  return judgedFact(desk, fact)?.verdict;
}

/** The desk with another verdict on a fact, or with none. */
export function judge(
  desk: Desk,
  fact: SuggestedFact,
  verdict: Verdict | undefined,
  isWritten = false,
): Desk {
  const key = factKey(fact);
  const others = desk.filter((each) => factKey(each.fact) !== key);
  return verdict === undefined ? others : [...others, { fact, verdict, ...(isWritten ? { isWritten } : {}) }];
}

/** The facts that were accepted. */
export function acceptedFacts(desk: Desk): readonly SuggestedFact[] {
  return desk.flatMap(({ fact, verdict }) => (verdict === 'accepted' ? [fact] : []));
}

/** Whether a value is a judged fact. */
export function isJudged(value: unknown): value is JudgedFact {
  if (!isRecord(value) || !isRecord(value['fact'])) return false;
  const { head, relation, tail, degree } = value['fact'];
  return (
    (value['verdict'] === 'accepted' || value['verdict'] === 'rejected') &&
    [head, relation, tail].every(isName) &&
    typeof degree === 'number'
  );
}

function isName(value: unknown): value is KeptName {
  return isRecord(value) && typeof value['key'] === 'string' && typeof value['label'] === 'string';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function nameOf({ key, label }: KeptName): KeptName {
  return { key, label };
}
