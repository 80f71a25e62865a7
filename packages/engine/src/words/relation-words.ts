import { inverseOf, keptBy, type RelationId, type Vocabulary } from '@fuzzqe/core';

/** A way to say a relation: `relation` leads from what the words belong to, an inverse where they are said of the tail. */
export interface RelationWords {
  readonly relation: RelationId;
  /** Space between words, all in lower case and in the singular or the base form. */
  readonly words: string;
}

/** How the relations of a graph are said in English, by their labels and keys. */
export interface RelationLexicon {
  /** "capital" of "has capital": the tail is the capital of the head. */
  readonly nouns: readonly RelationWords[];
  /** "border" of "borders": the head borders the tail. */
  readonly verbs: readonly RelationWords[];
  /** "part of": the head is part of the tail. */
  readonly predicates: readonly RelationWords[];
  /** "in region": the head is in the tail. */
  readonly places: readonly RelationId[];
}

const prepositions = new Set(['of', 'for', 'in', 'at', 'to', 'by', 'with', 'from', 'on', 'under', 'as']);
const isVerb = (word: string): boolean => /[^suiao]s$/u.test(word) || /(?:ch|sh|x|ss)es$/u.test(word);

/**
 * The lexicon of a graph: nouns, verbs, predicates with a preposition, and places, out of what its relations are called. It is kept until a
 * relation gets another name.
 */
export function relationLexicon(vocabulary: Vocabulary): RelationLexicon {
  const kept = lexicons(vocabulary);
  const names: string[] = [];
  for (let relation = 0; relation < vocabulary.relationCount; relation += 2) {
    const { key, label } = vocabulary.relation(relation);
    names.push(key, label);
  }
  const isSame = names.length === kept.names.length && names.every((name, i) => name === kept.names[i]);
  if (kept.lexicon === undefined || !isSame) {
    kept.names = names;
    kept.lexicon = makeLexicon(vocabulary);
  }
  return kept.lexicon;
}

/** By the vocabulary, whose names may change: the keys and labels of its relations, and the lexicon of these. */
const lexicons = keptBy((_: Vocabulary): { names: readonly string[]; lexicon?: RelationLexicon } => ({
  names: [],
}));

function makeLexicon(vocabulary: Vocabulary): RelationLexicon {
  const nouns: RelationWords[] = [];
  const verbs: RelationWords[] = [];
  const predicates: RelationWords[] = [];
  const places: RelationId[] = [];
  for (let relation = 0; relation < vocabulary.relationCount; relation += 2) {
    const { key, label } = vocabulary.relation(relation);
    const texts = [label, ...(/^[A-Za-z][A-Za-z_ -]+$/.test(key) ? [key] : [])].map(plainWords);
    for (const words of new Set(texts)) addForms(words, relation as RelationId);
  }
  return { nouns: withEnds(nouns), verbs, predicates, places };

  function addForms(text: string, relation: RelationId): void {
    const words = text.split(' ').filter((word) => word !== '');
    const [first = '', ...rest] = words[0] === 'is' ? words.slice(1) : words;
    const last = rest.at(-1) ?? '';
    if (first === 'has' || first === 'have') nouns.push({ relation, words: rest.map(singular).join(' ') });
    else if (first === 'in' && rest.length > 0) {
      places.push(relation);
      nouns.push({ relation, words: rest.map(singular).join(' ') });
    } else if (prepositions.has(last)) {
      if (isVerb(first)) verbs.push({ relation, words: [baseOf(first), ...rest].join(' ') });
      else {
        predicates.push({ relation, words: [first, ...rest].join(' ') });
        if (last === 'of' && rest.length === 1)
          nouns.push({ relation: inverseOf(relation), words: singular(first) });
      }
    } else if (isVerb(first)) {
      verbs.push({ relation, words: baseOf(first) });
      if (rest.length > 0) nouns.push({ relation, words: rest.map(singular).join(' ') });
    } else if (first !== '') nouns.push({ relation, words: [first, ...rest].map(singular).join(' ') });
  }
}

/** Also the ends of nouns, "language" of "official language", where they are of one relation alone. */
function withEnds(nouns: readonly RelationWords[]): RelationWords[] {
  const found = new Map<string, RelationWords[]>();
  for (const { relation, words } of nouns) {
    const parts = words.split(' ');
    parts.forEach((_, from) => {
      const end = parts.slice(from).join(' ');
      const known = found.get(end) ?? [];
      found.set(end, [...known.filter((each) => each.relation !== relation), { relation, words: end }]);
    });
  }
  const whole = new Set(nouns.map(({ words }) => words));
  return [...found].flatMap(([end, of]) => {
    if (of.length === 1) return of;
    return whole.has(end)
      ? of.filter(({ relation }) => nouns.some((each) => each.relation === relation && each.words === end))
      : [];
  });
}

/** `worksFor` and `works_for` as words. */
function plainWords(text: string): string {
  return text
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase()
    .trim();
}

/** A noun in the singular, as far as its end tells. */
export function singular(word: string): string {
  if (/ies$/u.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ch|sh|x|ss)es$/u.test(word)) return word.slice(0, -2);
  if (word === 'people') return 'person';
  return /[^suiao]s$|[ao]s$/u.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}

/** A verb of the third person in its base form. */
function baseOf(verb: string): string {
  if (/ies$/u.test(verb)) return `${verb.slice(0, -3)}y`;
  return /(?:ch|sh|x|ss)es$/u.test(verb) ? verb.slice(0, -2) : verb.slice(0, -1);
}

/** The forms of a base: the third person, the form on -ing and the participle. */
export function formsOf(base: string): {
  readonly finite: readonly string[];
  readonly ing: string;
  readonly past: string;
} {
  const third = /(?:ch|sh|x|ss)$/u.test(base)
    ? `${base}es`
    : /[^aeiou]y$/u.test(base)
      ? `${base.slice(0, -1)}ies`
      : `${base}s`;
  const stem = base.endsWith('e') ? base.slice(0, -1) : base;
  const past = /[^aeiou]y$/u.test(base) ? `${base.slice(0, -1)}ied` : `${stem}ed`;
  return { finite: [base, third], ing: `${stem}ing`, past };
}
