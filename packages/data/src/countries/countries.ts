import { createRandom, type NameEntry } from '@fuzzqe/core';
import { createDataset, type Dataset } from '../datasets/dataset.ts';
import { splitTriples } from '../datasets/split.ts';
import {
  type CountryEntityKind,
  capitalKey,
  countryRelations,
  currencyUnitOf,
  displayName,
  slug,
  type UnlabelledEntity,
  uniqueLabels,
} from './countries-names.ts';
import { readSourceCountries, type SourceCountry } from './countries-source.ts';
import { createGraphBuilder } from './graph-builder.ts';

/** How the Countries graph is split. */
export interface CountriesOptions {
  /** Seed of the split: the same seed holds out the same facts. */
  readonly seed?: string | number;
}

const description = `The countries of the world: borders, capitals, official languages, currencies, regions and more.

Made from world-countries 5.1.0 by Mohammed Le Doze and contributors (https://mledoze.github.io/countries/),
made available under the Open Database License 1.0 (https://opendatacommons.org/licenses/odbl/1-0/). A graph or model
bundle that carries this data must keep this notice, and a database derived from it must be under the same licence.

Left out: a land border that only one of the two countries lists. Changed: a few names of languages and currencies
on which the countries differ. Split: 10 % of the entity pairs for validation and 10 % for the test.`;

/**
 * The Countries graph: small enough to train on in minutes, and what it says can be checked in one's head.
 *
 * A border holds both ways and both facts are in the graph, always in the same part of the split.
 * Source: `world-countries` 5.1.0, ODbL-1.0.
 *
 * @example
 * const { train, full } = loadCountries().graphs();
 */
export function loadCountries({ seed = 0 }: CountriesOptions = {}): Dataset {
  const countries = readSourceCountries();
  const { things, facts } = describe(countries);
  const countryNames = new Map(countries.map((country) => [country.cca3, country.name.common]));
  const placeOf = (key: string): string =>
    countryNames.get(key.slice(key.indexOf(':') + 1, key.indexOf('-'))) ?? key;

  const builder = createGraphBuilder(countryRelations);
  for (const entry of uniqueLabels([...things.values()], placeOf) satisfies NameEntry[])
    builder.entity(entry);
  for (const { cca3, altSpellings, name } of countries) {
    const known = [name.common, name.official];
    builder.aliases(
      `country:${cca3}`,
      altSpellings.filter((text) => !known.includes(text)),
    );
  }
  for (const [head, relation, tail] of facts) builder.fact(head, relation, tail);
  const { vocabulary, triples } = builder.build();
  const parts = splitTriples(triples, {
    entityCount: vocabulary.entityCount,
    valid: 0.1,
    test: 0.1,
    random: createRandom('countries split', seed),
  });
  const about = { name: 'countries', licence: 'ODbL-1.0', description, split: 'drawn' } as const;
  return createDataset({ ...about, vocabulary, ...parts });
}

type Fact = readonly [head: string, relation: string, tail: string];

/** All entities by key, kind after kind, and all facts, country after country. */
function describe(countries: readonly SourceCountry[]): {
  things: Map<string, UnlabelledEntity>;
  facts: Fact[];
} {
  const kinds = new Map<CountryEntityKind, Map<string, UnlabelledEntity>>();
  const facts: Fact[] = [];
  const byCode = new Map(countries.map((country) => [country.cca3, country]));

  const add = (kind: CountryEntityKind, key: string, label: string, text: string): string => {
    const known = kinds.get(kind) ?? new Map<string, UnlabelledEntity>();
    kinds.set(kind, known);
    if (!known.has(key)) known.set(key, { kind, key, label, description: text });
    return key;
  };
  const named = (kind: CountryEntityKind, name: string, text: string): string =>
    add(kind, `${kind}:${slug(name)}`, name, text);

  for (const { cca3, name } of countries) add('country', `country:${cca3}`, name.common, name.official);
  for (const country of countries) {
    const me = `country:${country.cca3}`;
    for (const other of country.borders) {
      if (byCode.get(other)?.borders.includes(country.cca3)) facts.push([me, 'borders', `country:${other}`]);
    }
    for (const capital of country.capital) {
      const text = `capital of ${country.name.common}`;
      facts.push([me, 'capital', add('capital', capitalKey(country, capital), capital, text)]);
    }
    for (const [code, given] of Object.entries(country.languages)) {
      const key = `language:${code}`;
      facts.push([me, 'language', add('language', key, displayName(key, given), 'language')]);
    }
    for (const [code, { name }] of Object.entries(country.currencies)) {
      const key = `currency:${code}`;
      facts.push([me, 'currency', add('currency', key, displayName(key, name), `currency ${code}`)]);
    }
    const region = named('region', country.region, 'region of the world');
    facts.push([me, 'region', region]);
    if (country.subregion !== '') {
      facts.push([me, 'subregion', named('subregion', country.subregion, `part of ${country.region}`)]);
    }
    if (country.unRegionalGroup !== '') {
      facts.push([
        me,
        'unGroup',
        named('un-group', country.unRegionalGroup, 'regional group of the United Nations'),
      ]);
    }
    if (country.idd.root !== '') {
      const zone = country.idd.root.slice(1);
      const key = add(
        'calling-zone',
        `calling-zone:${zone}`,
        `Zone ${zone}`,
        `telephone codes that begin with +${zone}`,
      );
      facts.push([me, 'callingZone', key]);
    }
    if (country.independent !== null) {
      const sovereignty = country.independent ? 'Independent' : 'Dependent';
      facts.push([me, 'sovereignty', named('sovereignty', sovereignty, 'standing of a country')]);
    }
    facts.push([
      me,
      'coast',
      named('coast', country.landlocked ? 'Landlocked' : 'Coastal', 'access to the sea'),
    ]);
  }
  addSubregions(countries, facts);
  addUnits(kinds.get('currency')!, named, facts);
  return { things: new Map([...kinds.values()].flatMap((kind) => [...kind])), facts };
}

function addSubregions(countries: readonly SourceCountry[], facts: Fact[]): void {
  const parts = new Map(countries.map(({ subregion, region }) => [subregion, region]));
  parts.delete('');
  for (const [subregion, region] of parts) {
    facts.push([`subregion:${slug(subregion)}`, 'partOf', `region:${slug(region)}`]);
  }
}

/** Only units that two currencies share: a unit with one currency would say nothing new. */
function addUnits(
  currencies: ReadonlyMap<string, UnlabelledEntity>,
  named: (kind: CountryEntityKind, name: string, text: string) => string,
  facts: Fact[],
): void {
  const units = new Map<string, string[]>();
  for (const { key, label } of currencies.values()) {
    const unit = currencyUnitOf(label);
    units.set(unit, [...(units.get(unit) ?? []), key]);
  }
  for (const [unit, keys] of units) {
    if (keys.length < 2) continue;
    const entity = named('unit', unit.charAt(0).toUpperCase() + unit.slice(1), 'unit of currencies');
    for (const key of keys) facts.push([key, 'currencyUnit', entity]);
  }
}
