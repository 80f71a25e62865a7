import { createRequire } from 'node:module';

/** What this project reads of a country of the package `world-countries`. */
export interface SourceCountry {
  readonly name: { readonly common: string; readonly official: string };
  /** ISO 3166-1 alpha-3; `UNK` for Kosovo. */
  readonly cca3: string;
  /** null where it is disputed. */
  readonly independent: boolean | null;
  /** Empty for what is no member of the United Nations. */
  readonly unRegionalGroup: string;
  readonly currencies: Readonly<Record<string, { readonly name: string }>>;
  /** The root is the zone of the calling code, `+1` to `+9`, or empty. */
  readonly idd: { readonly root: string };
  readonly capital: readonly string[];
  /** Other names, its two-letter code first. */
  readonly altSpellings: readonly string[];
  readonly region: string;
  /** Empty in the Antarctic. */
  readonly subregion: string;
  /** Official languages by ISO 639-3. */
  readonly languages: Readonly<Record<string, string>>;
  readonly landlocked: boolean;
  /** Land borders, as alpha-3. */
  readonly borders: readonly string[];
}

/**
 * The countries of the package `world-countries`, whose version this package pins.
 *
 * Read through `require`: the package's ES module imports JSON without the attribute that Node asks for.
 */
export function readSourceCountries(): readonly SourceCountry[] {
  const countries: readonly SourceCountry[] = createRequire(import.meta.url)(
    'world-countries/countries.json',
  );
  return countries;
}
