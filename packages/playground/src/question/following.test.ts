import { asRelationId } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { countryNames } from '../testing/country-names.ts';
import { listedChoices, relationChoices } from './following.ts';

describe('the relations that may follow a part', () => {
  const { relations } = countryNames();
  const relation = { id: asRelationId(3), key: 'P38^-1', label: 'uses currency', inverse: true };
  const choices = relationChoices(relations, { results: [{ relation, answers: 2, facts: 7 }] });
  const list = (text: string, { withOthers = false, most = 9, of = choices } = {}) => {
    const { listed, hidden, more } = listedChoices(of, { text, withOthers, most });
    return [listed.map((each) => Number(each.relation)), hidden, more];
  };

  it('are those that facts lead on by, with their counts, and apart from them each direction of every other', () => {
    expect(choices.leading).toEqual([
      { relation: 3, inverse: true, key: 'P38', label: 'uses currency', answers: 2, facts: 7 },
    ]);
    expect(choices.others.map((each) => Number(each.relation))).toEqual([0, 1, 2, 4, 5]);
    expect(choices.others.every(({ answers, facts }) => answers === 0 && facts === 0)).toBe(true);
  });

  it('are all of them where nothing is known of facts', () => {
    expect(list('', { of: relationChoices(relations) })).toEqual([[0, 1, 2, 3, 4, 5], 0, 0]);
  });

  it('are listed without the others until those are asked for', () => {
    expect(list('')).toEqual([[3], 5, 0]);
    expect(list(' ', { withOthers: true })).toEqual([[3, 0, 1, 2, 4, 5], 0, 0]);
    expect(list('', { withOthers: true, most: 2 })).toEqual([[3, 0, 1], 0, 3]);
    expect(list('', { of: relationChoices(relations, { results: [] }) })).toEqual([[], 6, 0]);
  });

  it('are found among all where words of theirs begin as what is typed, those that lead on first', () => {
    expect(list('CURR use')).toEqual([[3, 2], 0, 0]);
    expect(list('p47')).toEqual([[0, 1], 0, 0]);
    expect(list('orders')).toEqual([[], 0, 0]);
    expect(list('p', { most: 3 })).toEqual([[3, 0, 1], 0, 1]);
  });
});
