import { describe, expect, it } from 'vitest';
import { hashDataset, loadCountries } from '../index.ts';

const countries = loadCountries();
const { vocabulary } = countries;
const { train, trainValid, full } = countries.graphs();

/** The labels of where a relation leads to from an entity. */
function labels(entity: string, relation: string, inverse = false): string[] {
  const id = vocabulary.findRelation(relation) + (inverse ? 1 : 0);
  return Array.from(
    full.tails(vocabulary.findEntity(entity), id),
    (tail) => vocabulary.entity(tail).label,
  ).sort();
}

function pairs(triples: Int32Array): Set<string> {
  const found = new Set<string>();
  for (let i = 0; i < triples.length; i += 3) {
    found.add([triples[i]!, triples[i + 2]!].sort((a, b) => a - b).join(' '));
  }
  return found;
}

describe('the Countries graph', () => {
  it('has the entities and facts it is documented to have', () => {
    expect(vocabulary.entityCount).toBe(879);
    expect(vocabulary.relationCount).toBe(24);
    expect([countries.train, countries.valid, countries.test].map(({ length }) => length / 3)).toEqual([
      2502, 317, 319,
    ]);
    expect(full.edgeCount).toBe(2 * (2502 + 317 + 319));
  });

  it('knows what everybody knows', () => {
    expect(labels('France', 'borders')).toContain('Germany');
    expect(labels('France', 'borders')).toHaveLength(8);
    expect(labels('France', 'capital')).toEqual(['Paris']);
    expect(labels('Germany', 'currency')).toEqual(['Euro']);
    expect(labels('Switzerland', 'language')).toEqual(['French', 'Italian', 'Romansh', 'Swiss German']);
    expect(labels('Switzerland', 'coast')).toEqual(['Landlocked']);
    expect(labels('Brazil', 'subregion')).toEqual(['South America']);
    expect(labels('South America', 'partOf')).toEqual(['Americas']);
    expect(labels('Peso', 'currencyUnit', true)).toContain('Mexican peso');
    expect(labels('Zone 3', 'callingZone', true)).toContain('France');
    expect(labels('Iceland', 'borders')).toEqual([]);
  });

  it('gives every entity a label and a key of its own', () => {
    const entries = Array.from({ length: vocabulary.entityCount }, (_, id) => vocabulary.entity(id));
    expect(new Set(entries.map(({ label }) => label)).size).toBe(entries.length);
    expect(entries.every(({ key }) => /^[a-z-]+:[A-Za-z0-9-]+$/.test(key))).toBe(true);
    expect(entries.every(({ label }) => label === label.trim() && !label.includes('|'))).toBe(true);
    expect(vocabulary.entity(vocabulary.findEntity('Luxembourg')).key).toBe('country:LUX');
    expect(vocabulary.entity(vocabulary.findEntity('Kingston (Jamaica)')).key).toBe('capital:JAM-kingston');
    expect(vocabulary.entity(vocabulary.findEntity('French')).key).toBe('language:fra');
  });

  it('has borders that hold both ways', () => {
    const borders = vocabulary.findRelation('borders');
    for (const head of full.headsOf(borders)) {
      expect(full.tails(head, borders)).toEqual(full.tails(head, borders + 1));
    }
  });

  it('does not give a held-out fact away by its mirror', () => {
    const known = pairs(countries.train);
    const valid = pairs(countries.valid);
    expect([...valid].filter((pair) => known.has(pair))).toEqual([]);
    expect([...pairs(countries.test)].filter((pair) => known.has(pair) || valid.has(pair))).toEqual([]);
  });

  it('would give facts away if facts were split one by one', () => {
    // The negative control of the test above: what an every-tenth-fact split does.
    const { train: t, valid: v, test: s } = countries;
    const all = Int32Array.from([...t, ...v, ...s]);
    const held = all.filter((_, i) => Math.floor(i / 3) % 10 === 0);
    const known = pairs(all.filter((_, i) => Math.floor(i / 3) % 10 !== 0));
    expect([...pairs(held)].filter((pair) => known.has(pair)).length).toBeGreaterThan(20);
  });

  it('leaves every entity a training fact', () => {
    for (let entity = 0; entity < full.entityCount; entity++) expect(train.degree(entity)).toBeGreaterThan(0);
    expect(train.edgeCount).toBeLessThan(trainValid.edgeCount);
  });

  it('is the same for the same seed', () => {
    expect(hashDataset(loadCountries())).toBe(hashDataset(countries));
    expect(hashDataset(loadCountries({ seed: 1 }))).not.toBe(hashDataset(countries));
  });

  it('finds countries by their other names, and keeps their own names first', () => {
    const first = (text: string) => vocabulary.searchEntities(text).results[0]?.label;
    expect(
      ['UK', 'holland', 'swiss confederation', 'Ivory Coast', 'USA', 'Nederland', 'Chad', 'Oman'].map(first),
    ).toEqual([
      ...['United Kingdom', 'Netherlands', 'Switzerland', 'Ivory Coast', 'United States', 'Netherlands'],
      ...['Chad', 'Oman'],
    ]);
    expect(first('Hollandaise')).not.toBe('Netherlands');
    expect(() => vocabulary.findEntity('Holand')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Netherlands') }),
    );
  });

  it('names its source and licence', () => {
    expect(countries.licence).toBe('ODbL-1.0');
    expect(countries.description).toContain('Open Database License');
    expect(countries.description).toContain('world-countries 5.1.0');
  });
});
