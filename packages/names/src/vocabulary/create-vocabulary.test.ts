import type { NameEntry } from '@fuzzqe/core';
import { fuzzErrorOf } from '@fuzzqe/core/testing';
import { describe, expect, it } from 'vitest';
import { createVocabulary } from './create-vocabulary.ts';

const vocabulary = createVocabulary({
  entities: [
    { key: 'Q142', label: 'France', description: 'a country' },
    { key: 'Q90', label: 'Paris' },
    { key: 'Q830149', label: 'Paris' },
    { key: 'Q3769', label: 'French Guiana' },
    { key: 'Paris', label: 'a key that is a label too' },
    { key: 'Q1', label: 'New Paris' },
    { key: 'Q2', label: 'Comparison' },
    { key: 'Q3', label: 'EURO' },
    { key: 'Q4', label: 'euro' },
  ],
  relations: [
    { key: 'P47', label: 'borders' },
    { key: 'P38', label: 'currency' },
  ],
});

describe('createVocabulary', () => {
  it('counts relations with their inverses', () => {
    expect([vocabulary.entityCount, vocabulary.relationCount]).toEqual([9, 4]);
  });

  it('names entities, relations and inverses', () => {
    expect(vocabulary.entity(0)).toEqual({ key: 'Q142', label: 'France', description: 'a country' });
    expect(vocabulary.relation(2)).toEqual({ key: 'P38', label: 'currency', inverse: false });
    expect(vocabulary.relation(3)).toEqual({ key: 'P38^-1', label: 'currency', inverse: true });
  });

  it('finds by key, then by label, then by label in another case', () => {
    expect(vocabulary.findEntity('Q142')).toBe(0);
    expect(vocabulary.findEntity('France')).toBe(0);
    expect(vocabulary.findEntity('fRANCE')).toBe(0);
    expect(vocabulary.findEntity('Paris')).toBe(4);
    expect(vocabulary.findEntity('euro')).toBe(8);
    expect(vocabulary.findRelation('currency')).toBe(2);
  });

  it('finds a name whose accents are composed in another way, exactly what it says first', () => {
    const [composed, apart] = ['Zürich', 'Zürich'.normalize('NFD')];
    const cities = (...keys: readonly string[]) =>
      createVocabulary({ entities: keys.map((key) => ({ key, label: key })), relations: [] });
    const one = cities('Bern', apart);
    expect(composed).not.toBe(apart);
    expect(one.findEntity(composed)).toBe(1);
    expect(one.findEntity(composed.toUpperCase())).toBe(1);
    expect(one.searchEntities(composed).results.map(({ id }) => id)).toEqual([1]);
    const both = cities(composed, apart);
    expect([composed, apart].map((name) => both.findEntity(name))).toEqual([0, 1]);
    expect(() => both.findEntity(composed.toUpperCase())).toThrow('that 2 share');
  });

  it('finds the key between brackets before a label, and indexes none for it', () => {
    let looked = 0;
    const entry = (key: string, label: string) => ({
      key,
      get label() {
        looked += 1;
        return label;
      },
    });
    const names = [
      entry('http://example.org/a', 'a'),
      entry('b', '<http://example.org/a>'),
      entry('<b>', 'c'),
      entry('d', '<none>'),
    ];
    const { findEntity, findRelation, hasRelation } = createVocabulary({ entities: names, relations: names });
    looked = 0;
    expect(findEntity('<http://example.org/a>')).toBe(0);
    // The key between the brackets, exactly, be there one that has brackets of its own.
    expect([findEntity('<b>'), findEntity('<<b>>'), findRelation('<d>')]).toEqual([1, 2, 6]);
    expect(hasRelation('<http://example.org/a>')).toBe(true);
    expect(looked).toBe(0);
    // What stands for no key may be a label still.
    expect([findEntity('<none>'), hasRelation('<none>'), hasRelation('<nothing>')]).toEqual([3, true, false]);
    expect(looked).toBeGreaterThan(0);
  });

  it('has just the relations that it finds', () => {
    const names = [
      'P47',
      'borders',
      'BORDERS',
      'P47^-1',
      'border',
      '',
      'ex:P47',
      '<P38>',
      'both',
      'constructor',
    ];
    const input = [
      { key: 'P47', label: 'borders' },
      { key: 'P38', label: 'both' },
      { key: 'P39', label: 'both' },
    ];
    const relations = createVocabulary({ entities: [], relations: input, prefixes: new Map([['ex', '']]) });
    const found = (name: string): boolean => {
      try {
        return relations.findRelation(name) >= 0;
      } catch {
        return false;
      }
    };
    expect(names.filter(found)).toEqual(['P47', 'borders', 'BORDERS', 'ex:P47', '<P38>']);
    expect(names.filter((name) => relations.hasRelation(name))).toEqual(names.filter(found));
  });

  it('refuses a label that several share, and lists their keys', () => {
    const error = fuzzErrorOf(() => vocabulary.findEntity('paris'));
    expect(error.code).toBe('vocabulary');
    expect(error.message).toContain('got one that 2 share');
    expect(error.hint).toBe('Use a key: "Q90", "Q830149".');
    expect(fuzzErrorOf(() => vocabulary.findEntity('Euro')).message).toContain('2 share');
  });

  it('looks for no near names where none are wanted, and finds the same otherwise', () => {
    const plain = vocabulary.withoutNearNames;
    expect([plain.findEntity('France'), plain.findRelation('borders'), plain.entity(1).key]).toEqual([
      0,
      0,
      'Q90',
    ]);
    for (const run of [() => plain.findEntity('Frence'), () => plain.findRelation('bordrs')])
      expect(fuzzErrorOf(run)).toMatchObject({ code: 'vocabulary', hint: 'Search the names of the graph.' });
    expect(fuzzErrorOf(() => vocabulary.findEntity('Frence')).hint).toContain('France');
    expect(plain.withoutNearNames).toBe(plain);
  });

  it('refuses an unknown name and offers near ones', () => {
    const error = fuzzErrorOf(() => vocabulary.findEntity('Frnace'));
    expect(error.message).toBe('entity: expected a key or label of the graph, got "Frnace"');
    expect(error.hint).toBe('did you mean "France"?');
    expect(fuzzErrorOf(() => vocabulary.findRelation('currancy')).hint).toBe('did you mean "currency"?');
  });

  it.each([-1, 9, 1.5, Number.NaN])('refuses entity %d', (id) => {
    expect(fuzzErrorOf(() => vocabulary.entity(id)).code).toBe('range');
  });

  it.each([
    ['text', 'Ann', 'key', 'expected a text, got nothing'],
    ['nothing', null, 'key', 'got nothing'],
    ['an entry without a label', { key: 'Ann' }, 'label', 'label: expected a text, got nothing'],
    ['a number as key', { key: 5, label: 'x' }, 'key', 'got 5'],
  ])('refuses %s in the place of an entry', (_, entry, name, message) => {
    // Callers without types can ask so.
    const given = [{ key: 'a', label: 'x' }, entry] as readonly NameEntry[];
    for (const [kind, names] of [
      ['entity', { entities: given, relations: [] }],
      ['relation', { entities: [], relations: given }],
    ] as const) {
      const error = fuzzErrorOf(() => createVocabulary(names));
      expect([error.code, error.path]).toEqual(['data', `${kind}[1].${name}`]);
      expect(error.message).toContain(message);
    }
  });

  it.each([
    ['entity', { relations: [] }],
    ['relation', { entities: [] }],
    ['relation', { entities: [], relations: 'borders' }],
  ])('refuses what is no array of names: %s of %j', (kind, given) => {
    // Callers without types can ask so.
    expect(() => createVocabulary(given as never)).toThrow(
      expect.objectContaining({
        code: 'data',
        message: expect.stringContaining(`${kind} names: expected an array`),
      }),
    );
  });

  it('refuses what is no name and no text to search', () => {
    const none = undefined as unknown as string;
    for (const ask of [
      () => vocabulary.findEntity(none),
      () => vocabulary.findRelation(none),
      () => vocabulary.hasRelation(none),
      () => vocabulary.searchEntities(none),
      () => vocabulary.searchRelations(none),
    ])
      expect(fuzzErrorOf(ask)).toMatchObject({
        code: 'vocabulary',
        message: expect.stringContaining('expected a text, got nothing'),
      });
  });

  it.each([
    ['range', { limit: 'x' }],
    ['range', { limit: -1 }],
    ['range', { offset: 1.5 }],
    ['range', { offset: Number.NaN }],
    ['usage', null],
    ['usage', 5],
  ])('refuses as %s what is no page of a search: %j', (code, page) => {
    // Callers without types can ask so.
    for (const method of ['searchEntities', 'searchRelations'] as const)
      expect(() => vocabulary[method]('a', page as never)).toThrow(expect.objectContaining({ code }));
  });

  it('refuses keys that are empty or repeated, but not labels', () => {
    const one = { key: 'a', label: 'x' };
    expect(() => createVocabulary({ entities: [one, one], relations: [] })).toThrow('which entity 0 has');
    expect(() => createVocabulary({ entities: [], relations: [{ key: '', label: 'x' }] })).toThrow('empty');
    expect(() =>
      createVocabulary({ entities: [one, { key: 'b', label: 'x' }], relations: [] }),
    ).not.toThrow();
  });

  it('does not take what every object inherits for a name', () => {
    expect(fuzzErrorOf(() => vocabulary.findEntity('constructor')).code).toBe('vocabulary');
  });
});

describe('search', () => {
  const ids = (text: string, limit?: number) =>
    vocabulary.searchEntities(text, limit === undefined ? {} : { limit }).results.map(({ id }) => id);

  it('puts whole names first, then beginnings, words, parts and near spellings', () => {
    expect(ids('paris')).toEqual([1, 2, 4, 5, 6]);
    expect(ids('Frnace')).toEqual([0]);
    expect(ids('q142')).toEqual([0]);
  });

  it('puts shorter labels first among equals, then lower ids, whenever it is asked', () => {
    const labels = [
      'a river bank',
      'bank of the river',
      'river',
      'the river bank',
      'rivers',
      'ariver',
      'river 2',
      'River',
    ];
    const rivers = createVocabulary({
      entities: labels.map((label, i) => ({ key: `k${i}`, label })),
      relations: [],
    });
    const order = () => rivers.searchEntities('river').results.map(({ label }) => label);
    expect(order()).toEqual([
      'river',
      'River',
      'rivers',
      'river 2',
      'a river bank',
      'the river bank',
      'bank of the river',
      'ariver',
    ]);
    expect(order()).toEqual(order());
  });

  it('finds letters with accents, ligatures and umlauts by what people write for them', () => {
    const names = ['Köln', 'Gießen', 'Ærø', 'Tromsø', 'Łódź', 'Đakovo', 'Kühlungsborn', 'Konin', '한국'];
    const places = createVocabulary({
      entities: names.map((label, i) => ({ key: `${i}`, label })),
      relations: [],
    });
    const search = (text: string) =>
      places.searchEntities(text, { misspelt: false }).results.map(({ id }) => names[id]);
    const asked = ['koln', 'Koeln', 'KÖLN', 'giessen', 'Gieß', 'aero', 'tromso', 'Tromsoe', 'lodz', 'dakovo'];
    expect(asked.flatMap(search)).toEqual([
      'Köln',
      'Köln',
      'Köln',
      'Gießen',
      'Gießen',
      'Ærø',
      'Tromsø',
      'Tromsø',
      'Łódź',
      'Đakovo',
    ]);
    expect(search('kuehl')).toEqual(['Kühlungsborn']);
    expect(search('ko')).toEqual(['Köln', 'Konin', 'Đakovo']);
    expect([search('한'), search('koen')]).toEqual([['한국'], []]);
    expect(fuzzErrorOf(() => places.findEntity('Koelm')).hint).toBe('did you mean "Köln"?');
  });

  it('finds words that a key joins by underscores', () => {
    const keys = ['concept_city_york', 'concept_city_new_york', 'concept_newyork'];
    const cities = createVocabulary({ entities: keys.map((key) => ({ key, label: key })), relations: [] });
    expect(cities.searchEntities('new york').results.map(({ key }) => key)).toEqual([
      'concept_city_new_york',
      'concept_newyork',
    ]);
    expect(cities.searchEntities('york city')).toEqual({ total: 0, results: [] });
  });

  it('searches for the key that a prefixed name stands for', () => {
    const keys = ['http://example.org/Room', 'http://example.org/RoomOfOne', 'http://other.org/Room'];
    const rooms = createVocabulary({
      entities: keys.map((key, i) => ({ key, label: `${i}` })),
      relations: [],
      prefixes: new Map([['ex', 'http://example.org/']]),
    });
    expect(rooms.searchEntities('ex:Room', { limit: 2 }).results.map(({ id }) => id)).toEqual([0, 1]);
    expect(rooms.searchEntities(`<${keys[2]}>`, { limit: 1 }).results.map(({ id }) => id)).toEqual([2]);
  });

  it('finds mistyped words within names, after all that has the text in it, the least edits first', () => {
    const labels = [
      'university of manchester',
      'manchester untied',
      'The Manchester United',
      'manchester unity',
      'united',
      'a society of which the name is long',
    ];
    const clubs = createVocabulary({
      entities: labels.map((label, i) => ({ key: `${i}`, label })),
      relations: [],
    });
    const search = (text: string) => clubs.searchEntities(text).results.map(({ id }) => id);
    expect(search('manchester untied')).toEqual([1, 2, 3]);
    expect(search('manchester unitey')).toEqual([3, 2, 1]);
    expect(search('universty')).toEqual([0]);
    expect(search('a scoiety of which the nam is long')).toEqual([5]);
    // Of few letters nothing is told by one that is wrong.
    expect(search('unt')).toEqual([1]);
  });

  it('says how many match on whichever page, and every match is on one page', () => {
    const entities = Array.from({ length: 400 }, (_, i) => ({
      key: `key ${i}`,
      label: `label ${(i * 7) % 400}`,
    }));
    const many = createVocabulary({ entities, relations: [] });
    for (const [text, total] of [
      ['label 1', 111],
      ['label', 400],
      ['lable', 400],
      ['key 39', 11],
      ['none', 0],
    ] as const) {
      const all = many.searchEntities(text, { limit: 1000 });
      expect([text, all.total, all.results.length]).toEqual([text, total, total]);
      const pages = [0, 7, 14].flatMap((offset) => many.searchEntities(text, { limit: 7, offset }).results);
      expect(pages).toEqual(all.results.slice(0, 21));
      expect(many.searchEntities(text, { offset: 400 })).toEqual({ total, results: [] });
    }
  });

  it('finds a line break as a space, and nothing across names', () => {
    const lines = createVocabulary({
      entities: [
        { key: '0', label: 'one\ntwo' },
        { key: '1', label: 'two' },
      ],
      relations: [],
    });
    expect(lines.searchEntities('one two').total).toBe(1);
    expect(lines.searchEntities('e\nt').total).toBe(1);
    expect(lines.searchEntities('two\n1').total).toBe(0);
  });

  it('keeps to the limit', () => {
    expect(ids('paris', 2)).toEqual([1, 2]);
    expect(ids('paris', 0)).toEqual([]);
  });

  it('finds nothing for nothing', () => {
    expect(ids('  ')).toEqual([]);
    expect(ids('zzzzzzzz')).toEqual([]);
  });

  it('gives forward relations with their own ids', () => {
    expect(vocabulary.searchRelations('curr').results).toEqual([{ id: 2, key: 'P38', label: 'currency' }]);
  });
});
