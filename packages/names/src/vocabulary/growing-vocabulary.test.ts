import { finish } from '@fuzzqe/core';
import { fuzzErrorOf } from '@fuzzqe/core/testing';
import { describe, expect, it } from 'vitest';
import { aliasesOf } from '../rows/aliases.ts';
import { createVocabulary } from './create-vocabulary.ts';
import { type GrowingVocabulary, growingVocabulary } from './growing-vocabulary.ts';

const open = (): GrowingVocabulary =>
  growingVocabulary(
    createVocabulary({
      entities: [
        { key: 'Q142', label: 'France' },
        { key: 'Q29', label: 'Spain' },
        { key: 'Q230', label: 'Georgia' },
      ],
      relations: [{ key: 'P47', label: 'borders' }],
    }),
  );

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
      entities: [{ key: 'Q40', label: 'Austria', aliases: ['Österreich'] }],
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
    ['an empty further name', { entities: [{ key: 'x', label: 'x', aliases: [''] }] }],
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
