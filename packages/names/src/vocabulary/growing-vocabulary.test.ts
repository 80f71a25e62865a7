import { finish } from '@fuzzqe/core';
import { fuzzErrorOf } from '@fuzzqe/core/testing';
import { describe, expect, it } from 'vitest';
import { type Alias, aliasesOf, readAliases } from '../rows/aliases.ts';
import { type AttributeChange, attributeColumns, attributeValues } from './changed-attributes.ts';
import { createVocabulary } from './create-vocabulary.ts';
import { type GrowingVocabulary, growingVocabulary } from './growing-vocabulary.ts';

const open = (): GrowingVocabulary =>
  growingVocabulary(
    createVocabulary({
      entities: [
        { key: 'Q142', label: 'France' },
        { key: 'Q29', label: 'Spain', description: 'a country' },
        { key: 'Q230', label: 'Georgia' },
      ],
      relations: [{ key: 'P47', label: 'borders' }],
      aliases: readAliases(() => new TextEncoder().encode('1\tlabel\tde\tSpanien\n'), 3),
    }),
  );

const alias = (text: string): Alias => ({ kind: 'alias', language: '', text });

const labels = (names: GrowingVocabulary, text: string): string[] =>
  names.searchEntities(text).results.map(({ label }) => label);

describe('a growing vocabulary', () => {
  it('says what the vocabulary below says, before anything is put', () => {
    const names = open();
    expect([names.entityCount, names.relationCount]).toEqual([3, 2]);
    expect(names.findEntity('france')).toBe(0);
    expect(labels(names, 'spa')).toEqual(['Spain']);
  });

  it('gives new names the ids behind, and finds them in every way, also by views that were made before', () => {
    const names = open();
    const quiet = names.withoutNearNames;
    names.searchEntities('a');
    const changes = {
      entities: [{ key: 'Q40', label: 'Austria', aliases: [alias('Österreich')] }],
      relations: [{ key: 'P36', label: 'capital' }],
    };
    expect(names.countsWith(changes)).toEqual({ entityCount: 4, relationCount: 4 });
    names.put(changes);
    expect([names.entityCount, names.relationCount, quiet.entityCount]).toEqual([4, 4, 4]);
    for (const name of ['Q40', '<Q40>', 'Austria', 'austria', 'österreich'])
      expect(quiet.findEntity(name)).toBe(3);
    expect(names.entity(3)).toEqual({ key: 'Q40', label: 'Austria' });
    expect(names.relation(3)).toMatchObject({ key: 'P36^-1', inverse: true });
    expect(names.findRelation('Capital')).toBe(2);
    expect(names.hasRelation('capital')).toBe(true);
    expect(labels(names, 'aust')).toEqual(['Austria']);
    expect(labels(names, 'osterreich')).toEqual(['Austria']);
    expect(aliasesOf(names.aliases, 3)).toEqual([{ kind: 'alias', language: '', text: 'Österreich' }]);
    expect(finish(names.nearNames('entity', 'Austia'))).toContain('Austria');
    expect(finish(names.nearNames('entity', 'Frace'))).toContain('France');
  });

  it('hides what a renamed entity was called, keeps its id, and orders old and new names together', () => {
    const names = open();
    names.put({ entities: [{ key: 'Q29', label: 'España' }] });
    expect(names.entityCount).toBe(3);
    expect(names.findEntity('España')).toBe(1);
    expect(fuzzErrorOf(() => names.findEntity('Spain')).code).toBe('vocabulary');
    expect(names.searchEntities('Spain', { misspelt: false }).total).toBe(0);
    names.put({ entities: [{ key: 'x', label: 'Southern France' }] });
    expect(labels(names, 'france')).toEqual(['France', 'Southern France']);
    expect(names.searchEntities('france', { limit: 1, offset: 1 })).toMatchObject({
      total: 2,
      results: [{ id: 3 }],
    });
  });

  it('changes one part of an entity and keeps the others, until a null takes the part back', () => {
    const names = open();
    names.put({ entities: [{ key: 'Q29', aliases: [alias('Hispania')] }] });
    expect(names.entity(1)).toEqual({ key: 'Q29', label: 'Spain', description: 'a country' });
    expect([names.findEntity('hispania'), names.findEntity('spain')]).toEqual([1, 1]);
    expect(fuzzErrorOf(() => names.findEntity('Spanien')).code).toBe('vocabulary');
    names.put({ entities: [{ key: 'Q29', label: 'España' }] });
    expect(names.findEntity('Hispania')).toBe(1);
    names.put({ entities: [{ key: 'Q29', aliases: [] }] });
    expect(aliasesOf(names.aliases, 1)).toEqual([]);
    names.put({ entities: [{ key: 'Q29', label: null, aliases: null }] });
    expect(names.entity(1)).toEqual({ key: 'Q29', label: 'Spain', description: 'a country' });
    expect([names.findEntity('Spanien'), names.aliases.count]).toEqual([1, 1]);
    names.put({ entities: [{ key: 'new', label: 'New' }] });
    names.put({ entities: [{ key: 'new', label: null }] });
    expect(names.entity(3)).toEqual({ key: 'new', label: 'new' });
  });

  it('offers no name that an entity has no longer', () => {
    const names = open();
    expect(finish(names.nearNames('entity', 'Spaim'))).toEqual(['Spain']);
    names.put({ entities: [{ key: 'Q29', label: 'España', aliases: [] }] });
    expect(finish(names.nearNames('entity', 'Spaim'))).toEqual([]);
  });

  it('gives changed values instead of those of the data, in the order of the columns, until a null takes them back', () => {
    const names = open();
    const plain = { language: '', unit: '' };
    const columns = [
      { key: 'area', label: 'Area', type: 'number', ...plain },
      { key: 'founded', label: 'Founded', type: 'date', ...plain },
    ] as const;
    const rows = {
      count: 2,
      of: (id: number) =>
        id === 1
          ? [
              ['0', '506'],
              ['1', '1479'],
            ]
          : [],
      texts: () => [],
    };
    const said = (id = 1): string[] =>
      attributeValues(names, { columns, rows }, id).map(({ label, value }) => `${label} ${value}`);
    const put = (...attributes: readonly AttributeChange[]): void =>
      names.put({ entities: [{ key: 'Q29', attributes }] });
    expect(said()).toEqual(['Area 506', 'Founded 1479']);
    put({ key: 'area', values: [{ type: 'number', value: '505', ...plain }] });
    put({ key: 'motto', values: [{ type: 'text', value: 'Plus ultra', language: 'la', unit: '' }] });
    expect(said()).toEqual(['Area 505', 'Founded 1479', 'motto Plus ultra']);
    expect(attributeColumns(names, { columns })).toEqual([
      ...columns,
      { key: 'motto', label: 'motto', type: 'text', language: 'la', unit: '' },
    ]);
    put({ key: 'area', values: [] }, { key: 'motto', values: null });
    expect(said()).toEqual(['Founded 1479']);
    put({ key: 'area', values: null });
    expect(said()).toEqual(['Area 506', 'Founded 1479']);
    expect([said(0), names.entity(1).label]).toEqual([[], 'Spain']);
  });

  it('refuses a label that an old and a new entity share, and names the keys of both', () => {
    const names = open();
    names.put({ entities: [{ key: 'Q1428', label: 'Georgia' }] });
    const { message, hint } = fuzzErrorOf(() => names.findEntity('Georgia'));
    expect(message).toContain('2 share');
    expect(hint).toContain('"Q230", "Q1428"');
    expect(names.findEntity('Q1428')).toBe(3);
  });

  it.each([
    ['an empty key', { entities: [{ key: '', label: 'x' }] }],
    ['an empty label', { entities: [{ key: 'x', label: '' }] }],
    ['an empty further name', { entities: [{ key: 'x', label: 'x', aliases: [alias('')] }] }],
    [
      'a key twice',
      {
        entities: [
          { key: 'x', label: 'x' },
          { key: 'x', label: 'y' },
        ],
      },
    ],
    ['the key of an inverse', { relations: [{ key: 'P36^-1', label: 'capital of' }] }],
  ])('refuses %s, and changes nothing', (_, changes) => {
    const names = open();
    expect(fuzzErrorOf(() => names.put({ ...changes })).code).toBe('data');
    expect([names.entityCount, names.relationCount]).toEqual([3, 2]);
  });
});
