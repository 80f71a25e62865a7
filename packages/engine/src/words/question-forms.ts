import { type EntityId, inverseOf, type RelationId } from '@fuzzqe/core';
import { entity, joined, project, type Query } from '@fuzzqe/core/query';
import type { GraphWords } from './graph-words.ts';
import type { PhraseReader, Readings } from './phrase-reader.ts';

/** What a whole question may mean. */
export interface QuestionMeaning {
  readonly query: Query;
  /** Of a question of yes or no: the entity of which it is asked whether it answers. */
  readonly subject?: EntityId;
  /** Whether it is asked if anything answers. */
  readonly exists?: boolean;
  /** Whether it is asked how many answer. */
  readonly count?: boolean;
}

/** All readings of a question of `length` words. */
export function questionMeanings(
  reader: PhraseReader,
  graph: GraphWords,
  length: number,
): readonly QuestionMeaning[] {
  const { after, afterArticle } = reader;
  const whole = <T>(read: Readings<T>): T[] =>
    read.flatMap(([meaning, end]) => (end === length ? [meaning] : []));
  /** The meaning of everything from a place on, if there is the place. */
  const rest = <T>(at: number | undefined, read: (at: number) => Readings<T>): T[] =>
    at === undefined ? [] : whole(read(at));
  const list = (queries: readonly Query[]): QuestionMeaning[] => queries.map((query) => ({ query }));

  const ofKind = (noun: string, said: readonly Query[]): Query[] => {
    const query = said.length === 0 ? undefined : joined('and', said);
    return query !== undefined && graph.isOfKind(query, noun) ? [query] : [];
  };
  /** "does Chad belong to", "is Chad in" after a noun: its relation. */
  const belongs = (relation: RelationId, at: number): Query[] => {
    const does = after(at, 'does');
    const is = after(at, 'is');
    const named = does === undefined ? (is === undefined ? [] : reader.entity(is)) : reader.entity(does);
    const ends = does === undefined ? ['in', 'located in'] : ['belong to', 'lie in'];
    return named.flatMap(([id, end]) =>
      after(end, ...ends) === length ? [project(relation, entity(id))] : [],
    );
  };
  /** "does France use", "do the countries that border Spain have": what the relation leads to. */
  const askedOf = (at: number | undefined, of?: RelationId): Query[] =>
    at === undefined
      ? []
      : reader.nounPhrase(at).flatMap(([query, end]) => {
          const verbs = reader.verb(end).filter(([relation]) => of === undefined || of === relation);
          const has = of !== undefined && after(end, 'have') === length ? [project(of, query)] : [];
          return [...whole(verbs).map((relation) => project(relation, query)), ...has];
        });
  /** What follows "which": a noun and what is said of it. */
  const ofWhich = (at: number): Query[] => {
    const kinds = reader.kind(at).flatMap(([{ noun, said }, end]) => {
      const does = after(end, 'do', 'does');
      const there = after(end, 'are there', 'is there');
      return [
        ...rest(end, reader.verbPhrase).flatMap((query) => ofKind(noun, [...said, query])),
        ...askedOf(does).flatMap((query) => ofKind(noun, [...said, query])),
        ...(there === length ? ofKind(noun, said) : []),
        ...rest(there, reader.clause).flatMap((query) => ofKind(noun, [...said, query])),
      ];
    });
    const nouns = reader.noun(at).flatMap(([relation, end]) => {
      const used = after(end, 'is', 'are');
      return [
        ...askedOf(after(end, 'do', 'does'), relation),
        ...belongs(relation, end),
        ...(used === undefined ? [] : usedIn(relation, used)),
        ...rest(after(end, 'are there in', 'are there of'), reader.nounPhrase).map((query) =>
          project(relation, query),
        ),
        ...rest(end, reader.verbPhrase).flatMap((query) => leadsTo(relation, query)),
      ];
    });
    return [...kinds, ...nouns];
  };
  /** "used in Mexico", after a noun. */
  const usedIn = (relation: RelationId, at: number): Query[] =>
    reader
      .participle(at)
      .flatMap(([verb, end]) =>
        verb === relation
          ? rest(after(end, 'in', 'by'), reader.nounPhrase).map((query) => project(relation, query))
          : [],
      );
  /** What is said of the values of a noun, where another relation leads from them. */
  const leadsTo = (relation: RelationId, query: Query): Query[] =>
    graph.isTailOf(relation, query) ? [query] : [];

  const closed = (at: number | undefined, read: (at: number) => Readings<Query>): QuestionMeaning[] =>
    at === undefined
      ? []
      : reader.entity(at).flatMap(([subject, end]) => rest(end, read).map((query) => ({ query, subject })));
  /** "do France and Spain border each other", "do France and Spain use the same currency". */
  const ofTwo = (at: number | undefined): QuestionMeaning[] =>
    at === undefined
      ? []
      : reader.entity(at).flatMap(([subject, end]) =>
          (after(end, 'and') === undefined ? [] : reader.entity(end + 1)).flatMap(([other, to]) => [
            ...reader
              .verb(to)
              .filter(([, last]) => after(last, 'each other', 'one another') === length)
              .map(([relation]) => ({ subject, query: project(inverseOf(relation), entity(other)) })),
            ...whole(reader.sameAs(to)).map((relation) => ({
              subject,
              query: project(inverseOf(relation), project(relation, entity(other))),
            })),
          ]),
        );
  /** "is the capital of France Paris". */
  const isNoun = (at: number | undefined): QuestionMeaning[] =>
    at === undefined
      ? []
      : reader
          .nounPhrase(at)
          .flatMap(([query, end]) =>
            query.op === 'project' ? whole(reader.entity(end)).map((subject) => ({ query, subject })) : [],
          );
  /** Phrases that ask for something by themselves; a name alone asks nothing. */
  const phrase = (at: number | undefined): Query[] =>
    rest(at, reader.nounPhrase).filter(({ op }) => op !== 'entity');

  const what = after(0, 'what', 'which', 'who');
  const is = what === undefined ? undefined : after(what, 'is', 'are', "'s");
  const where = after(0, 'where is', 'in which', 'in what');
  const many = after(0, 'how many');
  const shown = ['list', 'show', 'name', 'give', 'find', 'tell', 'count'].includes(reader.word(0))
    ? (after(1, 'me') ?? 1)
    : 0;
  const number = after(afterArticle(is ?? shown), 'number of');
  const meanings: QuestionMeaning[] = [
    ...list(phrase(shown)),
    ...list(phrase(is)),
    ...(what === undefined
      ? []
      : [
          ...list(rest(what, reader.verbPhrase)),
          ...list(ofWhich(what)),
          ...list(askedOf(after(what, 'do', 'does'))),
          ...list(partOf(is)),
        ]),
    ...(where === undefined ? [] : list(whereIs(where))),
    ...list(isOfWhich()),
    ...(many === undefined ? [] : ofWhich(many).map((query) => ({ query, count: true }))),
    ...phrase(number).map((query) => ({ query, count: true })),
    ...closed(after(0, 'do', 'does'), reader.verbPhrase),
    ...closed(after(0, 'is', 'are'), reader.isPhrase),
    ...ofTwo(after(0, 'do', 'does')),
    ...isNoun(after(0, 'is', 'are')),
    ...phrase(after(0, 'is there', 'are there')).map((query) => ({ query, exists: true })),
  ];
  return meanings;

  /** "what is Southern Asia part of". */
  function partOf(at: number | undefined): Query[] {
    if (at === undefined) return [];
    return reader
      .entity(at)
      .flatMap(([id, end]) => whole(reader.predicate(end)).map((relation) => project(relation, entity(id))));
  }
  /** "where is French an official language", "in which countries is French an official language". */
  function whereIs(at: number): Query[] {
    const from = reader.word(0) === 'where' ? [[undefined, at] as const] : kindThenIs(at);
    return from.flatMap(([noun, place]) =>
      reader.entity(place).flatMap(([id, end]) =>
        whole(reader.noun(afterArticle(end))).flatMap((relation) => {
          const query = project(inverseOf(relation), entity(id));
          return noun === undefined ? [query] : ofKind(noun, [query]);
        }),
      ),
    );
  }
  function kindThenIs(at: number): (readonly [string, number])[] {
    return reader.kind(at).flatMap(([{ noun, said }, end]) => {
      const place = said.length === 0 ? after(end, 'is', 'are') : undefined;
      return place === undefined ? [] : [[noun, place] as const];
    });
  }
  /** "Paris is the capital of which country". */
  function isOfWhich(): Query[] {
    return reader.entity(0).flatMap(([id, end]) => {
      const place = after(end, 'is');
      if (place === undefined) return [];
      return reader.noun(afterArticle(place)).flatMap(([relation, to]) => {
        const asked = after(to, 'of which', 'of what');
        const query = project(inverseOf(relation), entity(id));
        return asked === undefined || asked !== length - 1 ? [] : ofKind(reader.word(asked), [query]);
      });
    });
  }
}
