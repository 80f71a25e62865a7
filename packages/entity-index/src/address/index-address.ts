import { FuzzError } from '@fuzzqe/core';

/** Which databases an index may lie in. */
export const indexKinds = ['postgres', 'lancedb', 'milvus'] as const;

/** One of them. */
export type IndexKind = (typeof indexKinds)[number];

/** How a database finds the nearest rows: by a graph or partitions, or by looking at all. */
export type IndexMethod = 'approximate' | 'exact';

/** Where an index lies, as its address says it. */
export interface IndexAddress {
  readonly kind: IndexKind;
  /** What its driver connects to, with whatever lets it in. */
  readonly connection: string;
  /** The table, which is a collection in some databases; undefined: the one that is named after the bundle. */
  readonly table: string | undefined;
  /** Default `approximate`. */
  readonly method: IndexMethod;
  /** How far an approximate search looks. Default: that of the kind. */
  readonly effort: number | undefined;
  /** What it is, for people: the address without credentials and settings. */
  readonly shown: string;
  /** What may not be shown wherever it appears: passwords and tokens, as they are written and as they are meant. */
  readonly secrets: readonly string[];
}

/** The table in which it stands what every index is of. */
export const registerTable = 'fuzzqe_indexes';

const example =
  'postgres://localhost/kg, lancedb:./index, lancedb+s3://bucket/index or milvus://localhost:19530';
const settings = ['table', 'method', 'effort'];

/** Which option named an address, for errors. */
export type AddressOption = '--index' | '--to';

/**
 * Reads the address of an index: `postgres://user:password@host/database?table=t&method=exact`.
 *
 * @throws FuzzError `usage`: another scheme, a table or a setting that is none; what is secret in it is not repeated.
 */
export function parseIndexAddress(text: string, option: AddressOption = '--index'): IndexAddress {
  const refusal = refusalAt(option);
  const scheme = /^([a-z][a-z0-9]*)(?:\+([a-z][a-z0-9]*))?:/i.exec(text);
  const name = scheme?.[1]?.toLowerCase();
  const kind = name === 'postgresql' ? 'postgres' : indexKinds.find((each) => each === name);
  if (scheme === null || kind === undefined)
    throw refusal(`expected ${example}, got ${scheme === null ? 'no address' : `the scheme ${name}`}`);
  checkUser(text, kind, refusal);
  const at = text.indexOf('?');
  const [place, query] = at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  const parameters = new URLSearchParams(query);
  const [table, method, effort] = settings.map((setting) => parameters.get(setting) ?? undefined);
  for (const setting of settings) parameters.delete(setting);
  if (table !== undefined && !/^[a-z_][a-z0-9_]{0,62}$/.test(table))
    throw refusal(
      `table: expected lower-case letters, digits and _, 63 at most, got ${JSON.stringify(table)}`,
    );
  if (table === registerTable)
    throw refusal(`table: expected another name than ${registerTable}, which says what every index is of`);
  if (method !== undefined && method !== 'approximate' && method !== 'exact')
    throw refusal(`method: expected approximate or exact, got ${JSON.stringify(method)}`);
  const far = effort === undefined ? undefined : Number(effort);
  if (far !== undefined && !(Number.isInteger(far) && far >= 1 && far <= 1000))
    throw refusal(`effort: expected an integer in [1, 1000], got ${JSON.stringify(effort)}`);
  const rest = parameters.size === 0 ? '' : `?${parameters}`;
  const secrets = secretsIn(place, parameters);
  return {
    kind,
    connection: connectionOf({ kind, place, store: scheme[2], rest }, refusal),
    table,
    method: method ?? 'approximate',
    effort: far,
    shown: place.replace(/:\/\/[^/?#]*@/, '://'),
    secrets,
  };
}

/**
 * Refuses a user or password that holds, unescaped, what ends a host: drivers would read another host, and we would show the password.
 * Places of LanceDB have a user only where a colon says so; names of objects may hold an @.
 */
function checkUser(text: string, kind: IndexKind, refusal: Refusal): void {
  const hidden = kind === 'lancedb' ? /\+[^:]*:\/\/[^/?#:@]*:.*[/?#].*@/s : /:\/\/.*[/?#].*@/s;
  if (hidden.test(text))
    throw refusal('expected / ? # and @ written as %2F %3F %23 and %40 in user, password and settings');
}

interface AddressParts {
  readonly kind: IndexKind;
  readonly place: string;
  /** The scheme of an object store. */
  readonly store: string | undefined;
  /** Settings of the driver. */
  readonly rest: string;
}

/** What a driver takes: LanceDB a folder or the address of an object store, the others an address of their own. */
function connectionOf({ kind, place, store, rest }: AddressParts, refusal: Refusal): string {
  if (kind !== 'lancedb') return place + rest;
  const target = place.replace(/^[^:]*:/, '');
  if (store !== undefined) return `${store}:${target}${rest}`;
  const folder = target.replace(/^\/\/(?=\/)/, '');
  if (folder === '') throw refusal('expected the folder of the index, got none');
  return folder;
}

const isSecret =
  /^(?:PGPASSWORD|AWS_SECRET_ACCESS_KEY|AWS_SESSION_TOKEN|MILVUS_TOKEN|AZURE_.*KEY.*|GOOGLE_.*)$/;

function secretsIn(place: string, parameters: URLSearchParams): readonly string[] {
  const user = /:\/\/([^/?#]*)@/.exec(place)?.[1];
  const password = user?.includes(':') === true ? user.slice(user.indexOf(':') + 1) : '';
  const given = [
    password,
    ...[...parameters].filter(([name]) => /pass|token|key|secret/i.test(name)).map(([, value]) => value),
  ];
  const meant = given.map((each) => {
    try {
      return decodeURIComponent(each);
    } catch {
      return each;
    }
  });
  // What drivers take from the environment they may repeat as well.
  const around = Object.entries(process.env).map(([name, value = '']) => (isSecret.test(name) ? value : ''));
  return (
    [...new Set([...given, ...meant, ...around])]
      // Less would take letters out of every word.
      .filter(({ length }) => length >= 4)
      .sort((a, b) => b.length - a.length)
  );
}

/** A text without what is secret in an address, which drivers repeat in their errors. */
export function withoutSecretsOf({ secrets }: Pick<IndexAddress, 'secrets'>, text: string): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

type Refusal = (what: string) => FuzzError;

const refusalAt =
  (option: AddressOption): Refusal =>
  (what) =>
    new FuzzError('usage', `address of an index: ${what}`, {
      path: option,
      hint: `Give ${example}; docs/entity-index.md says what may follow.`,
    });
