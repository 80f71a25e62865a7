import type { NameEntry } from '@fuzzqe/core';
import type { SourceCountry } from './countries-source.ts';

/** The forward relations of the Countries graph, in the order of their ids. */
export const countryRelations: readonly NameEntry[] = [
  { key: 'borders', label: 'borders', description: 'shares a land border with; holds both ways' },
  { key: 'capital', label: 'has capital' },
  { key: 'language', label: 'has official language' },
  { key: 'currency', label: 'uses currency' },
  { key: 'region', label: 'in region', description: 'the continent, with the Americas as one' },
  { key: 'subregion', label: 'in subregion' },
  { key: 'partOf', label: 'part of', description: 'the region that a subregion belongs to' },
  { key: 'unGroup', label: 'in UN regional group' },
  { key: 'callingZone', label: 'in calling zone', description: 'the first digit of its telephone code' },
  { key: 'sovereignty', label: 'has sovereignty', description: 'whether it is independent' },
  { key: 'coast', label: 'has sea access' },
  { key: 'currencyUnit', label: 'has unit', description: 'what a currency calls its unit' },
];

/** What an entity is; the first part of its key, and what tells two of one name apart. */
export type CountryEntityKind =
  | 'country'
  | 'capital'
  | 'language'
  | 'currency'
  | 'region'
  | 'subregion'
  | 'un-group'
  | 'calling-zone'
  | 'sovereignty'
  | 'coast'
  | 'unit';

/** An entity before its label is made unique. */
export interface UnlabelledEntity {
  readonly kind: CountryEntityKind;
  readonly key: string;
  readonly label: string;
  readonly description: string;
}

/** Where several countries call one thing by different names, or leave out half of it. */
const betterNames: Readonly<Record<string, string>> = {
  'language:ron': 'Romanian',
  'language:sot': 'Southern Sotho',
  'language:fas': 'Persian',
  'language:bar': 'Austro-Bavarian',
  'currency:DKK': 'Danish krone',
  'currency:GBP': 'Pound sterling',
  'currency:GEL': 'Georgian lari',
  'currency:GMD': 'Gambian dalasi',
  'currency:MKD': 'Macedonian denar',
  'currency:NOK': 'Norwegian krone',
  'currency:VES': 'Venezuelan bolívar',
};

/** The name to show for what the source calls `given`. */
export function displayName(key: string, given: string): string {
  const name = betterNames[key] ?? given;
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Lower case letters and hyphens for a key: `São Tomé` gives `sao-tome`. */
export function slug(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}

/** The key of a capital: several countries have a capital of one name. */
export function capitalKey(country: SourceCountry, capital: string): string {
  return `capital:${country.cca3}-${slug(capital)}`;
}

/** `Kenyan shilling` counts in shillings: the last word, save where another word is the unit. */
export function currencyUnitOf(name: string): string {
  if (name === 'Pound sterling') return 'pound';
  return name.split(' ').at(-1)!.toLowerCase();
}

/**
 * Gives every entity a label of its own.
 *
 * Countries keep their names; what shares a country's name says what it is (`Luxembourg (capital)`), and capitals
 * of one name say where they are (`Kingston (Jamaica)`).
 */
export function uniqueLabels(
  things: readonly UnlabelledEntity[],
  placeOf: (key: string) => string,
): NameEntry[] {
  const owners = groupByLabel(things);
  return things.map(({ kind, key, label, description }) => {
    const sharing = owners.get(label)!;
    if (sharing.length === 1 || kind === 'country') return { key, label, description };
    const sameKind = sharing.filter((other) => other.kind === kind).length > 1;
    return { key, label: `${label} (${sameKind ? placeOf(key) : kind})`, description };
  });
}

function groupByLabel(things: readonly UnlabelledEntity[]): Map<string, UnlabelledEntity[]> {
  const groups = new Map<string, UnlabelledEntity[]>();
  for (const thing of things) groups.set(thing.label, [...(groups.get(thing.label) ?? []), thing]);
  return groups;
}
