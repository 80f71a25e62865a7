import { type EntityId, inverseOf, type RelationId } from '@fuzzqe/core';
import { and, entity, joined, not, project, type Query } from '@fuzzqe/core/query';
import type { GraphWords } from './graph-words.ts';
import type { QuestionToken } from './question-tokens.ts';
import { formsOf, type RelationLexicon, singular } from './relation-words.ts';

/** What words may mean, each with the place where they end. */
export type Readings<T> = readonly (readonly [meaning: T, end: number])[];

/** A noun of a kind of entities, with what is said of them. */
export interface KindPhrase {
  readonly noun: string;
  readonly said: readonly Query[];
}

/** Reads the parts of a question; every function gives all readings from a place on. */
export interface PhraseReader {
  /** A word in lower case; nothing beyond the end. */
  word(at: number): string;
  /** The place after one of some texts, if it stands there. */
  after(at: number, ...texts: readonly string[]): number | undefined;
  /** The place after an article, or the same place. */
  afterArticle(at: number): number;
  entity(at: number): Readings<EntityId>;
  noun(at: number): Readings<RelationId>;
  /** A verb in its base form, with its preposition. */
  verb(at: number): Readings<RelationId>;
  /** A verb as "used". */
  participle(at: number): Readings<RelationId>;
  predicate(at: number): Readings<RelationId>;
  kind(at: number): Readings<KindPhrase>;
  nounPhrase(at: number): Readings<Query>;
  /** "borders France", "has capital Paris and is not in Europe". */
  verbPhrase(at: number): Readings<Query>;
  /** What stands after "is". */
  isPhrase(at: number): Readings<Query>;
  /** "in Europe", "that border France", "whose capital is Paris". */
  clause(at: number): Readings<Query>;
  /** "the same currency as", "a currency with": the relation. */
  sameAs(at: number): Readings<RelationId>;
}

/** A reader of the words of one question. */
export function phraseReader(
  tokens: readonly QuestionToken[],
  lexicon: RelationLexicon,
  graph: GraphWords,
): PhraseReader {
  const wordAt = (at: number): string => tokens[at]?.word ?? '';
  const after: PhraseReader['after'] = (at, ...texts) => {
    const text = texts.find((each) => each.split(' ').every((word, i) => wordAt(at + i) === word));
    return text === undefined ? undefined : at + text.split(' ').length;
  };
  const afterArticle = (at: number): number =>
    after(at, 'the', 'a', 'an', 'all the', 'all', 'any', 'their', 'its') ?? at;
  const from = <T>(at: number | undefined, read: (at: number) => Readings<T>): Readings<T> =>
    at === undefined ? [] : read(at);
  const then = <T, U>(read: Readings<T>, next: (meaning: T, at: number) => Readings<U>): Readings<U> =>
    read.flatMap(([meaning, end]) => next(meaning, end));
  const map = <T, U>(read: Readings<T>, change: (meaning: T) => U): Readings<U> =>
    read.map(([meaning, end]) => [change(meaning), end] as const);

  const entityOf = (at: number): Readings<EntityId> => {
    const places = new Set([at, afterArticle(at)]);
    const found = [...places].flatMap((place) => graph.entityAt(place) ?? []);
    return found.slice(0, 1).map(({ id, end }) => [id, end] as const);
  };
  const words = (
    at: number,
    text: string,
    same: (word: string, of: string) => boolean,
  ): number | undefined => {
    const parts = text.split(' ');
    return parts.every((part, i) => same(wordAt(at + i), part)) ? at + parts.length : undefined;
  };
  const noun = (at: number): Readings<RelationId> =>
    lexicon.nouns.flatMap(({ relation, words: text }) => {
      const end = words(at, text, (word, of) => word === of || singular(word) === of);
      return end === undefined ? [] : [[relation, end] as const];
    });
  const verbIn = (at: number, pick: (base: string) => readonly string[]): Readings<RelationId> =>
    lexicon.verbs.flatMap(({ relation, words: text }) => {
      const [base = '', ...rest] = text.split(' ');
      const matches = pick(base).includes(wordAt(at)) && rest.every((word, i) => wordAt(at + 1 + i) === word);
      return matches ? [[relation, at + 1 + rest.length] as const] : [];
    });
  const predicate = (at: number): Readings<RelationId> =>
    lexicon.predicates.flatMap(({ relation, words: text }) => {
      const end = words(afterArticle(at), text, (word, of) => word === of || singular(word) === of);
      return end === undefined ? [] : [[relation, end] as const];
    });

  /** Parts joined by one of "and" and "or"; "but" is an "and". */
  const list = (at: number, read: (at: number) => Readings<Query>): Readings<Query> => {
    const more = (said: readonly Query[], end: number, op?: 'and' | 'or'): Readings<Query> => {
      const whole: Query = joined(op ?? 'and', said);
      const word = wordAt(end);
      const next = word === 'or' ? 'or' : word === 'and' || word === 'but' ? 'and' : undefined;
      if (next === undefined || (op !== undefined && op !== next)) return [[whole, end]];
      return [[whole, end], ...then(read(end + 1), (query, to) => more([...said, query], to, next))];
    };
    return then(read(after(at, 'both', 'either') ?? at), (query, end) => more([query], end));
  };
  /** Objects of a verb or a relation, "France but not Germany": what is said of each. */
  const objects = (at: number, say: (object: Query) => Query): Readings<Query> =>
    list(at, (place) => {
      const negated = after(place, 'not');
      return map(nounPhrase(negated ?? place), (query) =>
        negated === undefined ? say(query) : not(say(query)),
      );
    });

  const owned = (query: Query, at: number): Readings<Query> => [
    [query, at],
    ...from(after(at, "'s"), (place) =>
      then(noun(place), (relation, end) => owned(project(relation, query), end)),
    ),
  ];
  const phrases = new Map<number, Readings<Query>>();
  const nounPhrase = (at: number): Readings<Query> => {
    const known = phrases.get(at);
    if (known !== undefined) return known;
    const inner = afterArticle(at);
    const read = [
      ...then(entityOf(at), (id, end) => owned(entity(id), end)),
      ...then(noun(inner), (relation, end) =>
        from(after(end, 'of', 'in'), (place) => map(nounPhrase(place), (query) => project(relation, query))),
      ),
      ...then(kind(inner), (phrase, end) => described(phrase, end)),
    ];
    phrases.set(at, read);
    return read;
  };
  const described = ({ noun: kindNoun, said }: KindPhrase, at: number): Readings<Query> => {
    if (said.length === 0) return [];
    const query = joined('and', said);
    return graph.isOfKind(query, kindNoun) ? [[query, at]] : [];
  };

  /** A value by which a kind is told, as "landlocked". */
  const value = (at: number): Readings<Query> =>
    then(entityOf(at), (id, end) => {
      const relation = graph.valueOf(id);
      return relation === undefined ? [] : [[project(inverseOf(relation), entity(id)), end]];
    });
  const kind = (at: number): Readings<KindPhrase> => {
    const plain: Readings<KindPhrase> = graph.isKind(wordAt(at))
      ? clauses([], at + 1).map(([said, end]) => [{ noun: wordAt(at), said }, end] as const)
      : [];
    const told = then(value(at), (query, end) =>
      map(kind(end), ({ noun: of, said }) => ({ noun: of, said: [query, ...said] })),
    );
    return [...plain, ...told];
  };
  const clauses = (said: readonly Query[], at: number): Readings<readonly Query[]> => [
    [said, at],
    ...then(clause(said.length === 0 ? at : (after(at, 'and', 'but') ?? at)), (query, end) =>
      clauses([...said, query], end),
    ),
  ];

  const place = (at: number): Readings<Query> =>
    from(after(at, 'in', 'located in'), (inner) =>
      then(entityOf(inner), (id, end) =>
        lexicon.places
          .filter((relation) => graph.hasFact(relation, id))
          .map((relation) => [project(inverseOf(relation), entity(id)), end] as const),
      ),
    );
  const passive = (at: number): Readings<Query> =>
    then(
      verbIn(at, (base) => [formsOf(base).past]),
      (relation, end) =>
        from(after(end, 'by'), (inner) => objects(inner, (query) => project(relation, query))),
    );
  const during = (at: number): Readings<Query> =>
    then(
      verbIn(at, (base) => [formsOf(base).ing]),
      (relation, end) => objects(end, (query) => project(inverseOf(relation), query)),
    );
  const byPredicate = (at: number): Readings<Query> =>
    then(predicate(at), (relation, end) => objects(end, (query) => project(inverseOf(relation), query)));
  /** "capital Paris", "the official language French", "French as an official language". */
  const having = (at: number): Readings<Query> => [
    ...then(noun(afterArticle(at)), (relation, end) =>
      objects(end, (query) => project(inverseOf(relation), query)),
    ),
    ...as(at),
  ];
  const as = (at: number, of?: RelationId): Readings<Query> =>
    then(nounPhrase(at), (query, end) =>
      from(after(end, 'as'), (inner) =>
        then(noun(afterArticle(afterArticle(inner))), (relation, to) =>
          of === undefined || of === relation ? [[project(inverseOf(relation), query), to]] : [],
        ),
      ),
    );
  const ownedBy = (at: number): Readings<Query> =>
    then(noun(at), (relation, end) =>
      from(after(end, 'is', 'are'), (inner) =>
        objects(inner, (query) => project(inverseOf(relation), query)),
      ),
    );
  const whereIs = (at: number): Readings<Query> =>
    then(entityOf(at), (id, end) =>
      from(after(end, 'is'), (inner) =>
        map(noun(afterArticle(inner)), (relation): Query => project(inverseOf(relation), entity(id))),
      ),
    );
  /** "that France borders". */
  const objectOf = (at: number): Readings<Query> =>
    then(entityOf(at), (id, end) =>
      map(
        verbIn(end, (base) => formsOf(base).finite),
        (relation): Query => project(relation, entity(id)),
      ),
    );

  const clause = (at: number): Readings<Query> => {
    const relative = after(at, 'that', 'which', 'who');
    const negated = after(at, 'not');
    return [
      ...(relative === undefined ? [] : verbPhrase(relative)),
      ...objectOf(relative ?? at),
      ...from(after(at, 'whose'), ownedBy),
      ...from(after(at, 'with'), having),
      ...from(after(at, 'where', 'in which'), whereIs),
      ...place(at),
      ...passive(at),
      ...during(at),
      ...(negated === undefined
        ? []
        : map([...place(negated), ...during(negated)], (query): Query => not(query))),
    ];
  };

  const sameAs = (at: number): Readings<RelationId> => {
    const same = after(
      at,
      'share the same',
      'shares the same',
      'share a',
      'shares a',
      'share an',
      'shares an',
      'share',
      'shares',
      'have the same',
      'has the same',
    );
    const byVerb = then(
      verbIn(at, (base) => formsOf(base).finite),
      (verb, end) =>
        from(after(end, 'the same'), (inner) => noun(inner).filter(([relation]) => relation === verb)),
    );
    return [...from(same, noun), ...byVerb];
  };
  const isPhrase = (at: number): Readings<Query> => {
    const negated = after(at, 'not');
    const inner = negated ?? at;
    const read = [
      ...place(inner),
      ...passive(inner),
      ...during(inner),
      ...byPredicate(inner),
      ...value(inner),
      ...then(noun(afterArticle(inner)), (relation, end) =>
        from(after(end, 'of'), (object) => objects(object, (query) => project(relation, query))),
      ),
    ];
    return negated === undefined ? read : map(read, (query): Query => not(query));
  };
  const verbAtom = (at: number): Readings<Query> => {
    const negated = after(at, 'do not', 'does not');
    if (negated !== undefined) return map(verbAtom(negated), (query): Query => not(query));
    const objectsOfVerb = then(
      verbIn(at, (base) => formsOf(base).finite),
      (relation, end) => {
        const named = noun(afterArticle(end)).filter(([of]) => of === relation);
        const places = [end, ...named.map(([, to]) => to)];
        return [
          ...places.flatMap((inner) => objects(inner, (query) => project(inverseOf(relation), query))),
          ...as(end, relation),
        ];
      },
    );
    const same = then(sameAs(at), (relation, end) =>
      from(after(end, 'with', 'as'), (inner) =>
        map(
          entityOf(inner),
          (id): Query => and(project(inverseOf(relation), project(relation, entity(id))), not(entity(id))),
        ),
      ),
    );
    return [
      ...objectsOfVerb,
      ...same,
      ...from(after(at, 'has', 'have'), having),
      ...from(after(at, 'is', 'are'), isPhrase),
      ...from(after(at, 'lies', 'lie', 'belongs', 'belong'), (inner) => place(inner)),
    ];
  };
  const verbPhrase = (at: number): Readings<Query> => list(at, verbAtom);

  return {
    ...{ after, afterArticle, noun, predicate, kind, nounPhrase, verbPhrase, isPhrase, clause, sameAs },
    word: wordAt,
    entity: entityOf,
    participle: (at) => verbIn(at, (base) => [formsOf(base).past]),
    verb: (at) => verbIn(at, (base) => [base]),
  };
}
