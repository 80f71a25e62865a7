import type { OpenApiObject } from '../part/declaration.ts';
import type { SchemaValidator } from './check-responses.ts';

/** A request that differs from an example in one value, and what the document says of the value. */
export interface BoundProbe {
  readonly route: string;
  /** The field or the parameter, and its value, for people. */
  readonly what: string;
  readonly fits: boolean;
  readonly address: string;
  readonly init: RequestInit & { readonly method: string };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema: OpenApiObject;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        {
          readonly schema: OpenApiObject;
          readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
        }
      >
    >;
  };
}

/** A schema for what may be a reference to it. */
type Resolve = (schema: OpenApiObject) => OpenApiObject;

/** Why a request was refused: for its form, by a fault, or for what no document says of a graph: its names, and what takes too long. */
export type Refusal = 'form' | 'graph' | 'fault' | undefined;

/** Why a request was refused; a batch says it in its first line. */
export async function refusalOf(response: Response): Promise<Refusal> {
  const text = await response.text();
  const { ok, status } = response;
  const isLine = /ndjson/.test(response.headers.get('content-type') ?? '');
  const { problem, code } = ok && !isLine ? {} : JSON.parse(text.split('\n')[0] || '{}');
  const told: { readonly status: number; readonly code?: string } = problem ?? { status, code };
  if (told.status < 400) return undefined;
  // A deadline that is over refuses as a graph does.
  if (told.status >= 500) return told.status === 504 ? 'graph' : 'fault';
  return told.code === 'vocabulary' || told.code === 'cost' ? 'graph' : 'form';
}

/** Values on both sides of every bound that a schema states, and of bounds that servers have and documents forget. */
function valuesFor(schema: OpenApiObject, resolve: Resolve, depth = 0): readonly unknown[] {
  // Queries hold queries.
  if (depth > 2) return [];
  const {
    type,
    enum: choices,
    anyOf,
    oneOf,
    minimum,
    exclusiveMinimum,
    maximum,
    minLength,
    maxLength,
    items,
  } = resolve(schema);
  if (Array.isArray(choices)) return [...choices, 'none of them'];
  const inner = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (inner.length > 0)
    return [...inner.flatMap((each: OpenApiObject) => valuesFor(each, resolve, depth + 1)), null];
  const types = [type].flat();
  const numbers = [minimum, exclusiveMinimum, maximum].filter((bound) => typeof bound === 'number');
  return [
    ...(types.includes('integer') || types.includes('number')
      ? [-1, 0, 0.5, 1, 2 ** 53, ...numbers.flatMap((bound) => [bound - 1, bound, bound + 1])]
      : []),
    ...(types.includes('string')
      ? [
          '',
          ...(Number(minLength) > 1 ? ['x'] : []),
          ...(typeof maxLength === 'number' ? ['x'.repeat(maxLength + 1)] : []),
        ]
      : []),
    ...(types.includes('boolean') ? [true, false] : []),
    ...(types.includes('array')
      ? [
          [],
          ...(items === undefined
            ? []
            : valuesFor(items as OpenApiObject, resolve, depth + 1).map((item) => [item])),
        ]
      : []),
    ...(types.includes('object') ? [{}] : []),
    ...(types.includes('null') || type === undefined ? [] : [null]),
  ];
}

/**
 * Makes requests with one value on each side of each bound that a document states, for each parameter and each field of each example.
 *
 * Skips parameters of any text: a document does not know the names of a graph.
 */
export function boundProbes(openapi: OpenApiObject, validator: SchemaValidator): readonly BoundProbe[] {
  // By the form of OpenAPI, which a test asks a validator about.
  const { paths, components } = openapi as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: OpenApiObject;
  };
  const resolve: Resolve = (schema) => {
    const { $ref, ...rest } = schema;
    if (typeof $ref !== 'string') return schema;
    const found = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((node, key) => (node as OpenApiObject)[key], openapi);
    return { ...resolve(found as OpenApiObject), ...rest };
  };
  const fitting = (schema: OpenApiObject): ((value: unknown) => boolean) => {
    const isWhole = !JSON.stringify(schema).includes('$ref');
    const validate = validator.compile(isWhole ? schema : { components, allOf: [schema] });
    return (value) => validate(value) === true;
  };
  // What a path below a model reads, the path of the default model reads.
  const own = Object.entries(paths).filter(
    ([path]) => !path.includes('/models/{name}/') || !(path.replace('/models/{name}', '') in paths),
  );
  return own.flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { parameters = [], requestBody }]) => {
      const route = `${method.toUpperCase()} ${path}`;
      const [media] = Object.entries(requestBody?.content ?? {});
      const bodies = Object.values(media?.[1].examples ?? {}).map(({ value }) => value);
      if (media !== undefined && bodies.length === 0) return [];
      const request = (
        values: Readonly<Record<string, unknown>>,
        body: unknown,
      ): Pick<BoundProbe, 'address' | 'init'> => {
        const given = parameters.flatMap(({ name, in: place, required, example }) => {
          const value = name in values ? values[name] : required === true ? example : undefined;
          return value === undefined ? [] : [{ name, place, value: `${value}` }];
        });
        const of = (place: string) => given.filter((each) => each.place === place);
        const address = of('path').reduce(
          (at, { name, value }) => at.replace(`{${name}}`, encodeURIComponent(value)),
          path,
        );
        const query = new URLSearchParams(of('query').map(({ name, value }) => [name, value]));
        return {
          address: query.size === 0 ? address : `${address}?${query}`,
          init: {
            method: method.toUpperCase(),
            headers: {
              accept: 'application/json, text/event-stream, */*',
              ...Object.fromEntries(of('header').map(({ name, value }) => [name, value])),
              ...(media === undefined ? {} : { 'content-type': media[0] }),
            },
            ...(media === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
          },
        };
      };
      const ofParameters = parameters
        .filter(
          (each) =>
            each.in !== 'path' &&
            Object.keys(each.schema).some((key) => key !== 'type' || each.schema['type'] !== 'string'),
        )
        .flatMap(({ name, in: place, schema }) => {
          const fits = fitting(schema);
          return (
            valuesFor(schema, resolve)
              // No header is empty on its way, and null has no text.
              .filter(
                (value) =>
                  value !== null && typeof value !== 'object' && !(place === 'header' && value === ''),
              )
              .map((value) => ({
                ...{ route, what: `${name}=${String(value).slice(0, 40)}`, fits: fits(value) },
                ...request({ [name]: value }, bodies[0]),
              }))
          );
        });
      if (media === undefined) return ofParameters;
      const fits = fitting(media[1].schema);
      const ofFields = bodies
        .filter((body) => typeof body === 'object' && body !== null)
        .flatMap((body) =>
          variants(body, media[1].schema, resolve, '').map(({ at, value }) => ({
            ...{ route, what: at, fits: fits(value) },
            ...request({}, value),
          })),
        );
      return [...ofParameters, ...ofFields];
    }),
  );
}

/** A value with one field of its, or of what is within it, replaced. */
function variants(
  value: unknown,
  schema: OpenApiObject,
  resolve: Resolve,
  at: string,
): readonly { readonly at: string; readonly value: unknown }[] {
  const { properties, oneOf, anyOf } = resolve(schema) as Readonly<
    Record<string, OpenApiObject | readonly OpenApiObject[] | undefined>
  >;
  const choices = [oneOf, anyOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  if (choices.length > 0)
    return choices.flatMap((choice: OpenApiObject) => variants(value, choice, resolve, at));
  const own = Object.entries((properties ?? {}) as Readonly<Record<string, OpenApiObject>>);
  const fields = value as Readonly<Record<string, unknown>>;
  return [
    { at: `${at}.unknown`, value: { ...value, unknown: 1 } },
    ...own.flatMap(([name, field]) => [
      ...(name in value ? [{ at: `${at}.${name} left out`, value: without(fields, name) }] : []),
      ...[...new Set(valuesFor(field, resolve))].map((each) => ({
        at: `${at}.${name}=${JSON.stringify(each).slice(0, 40)}`,
        value: { ...fields, [name]: each },
      })),
      ...variants(fields[name], field, resolve, `${at}.${name}`).map((inner) => ({
        at: inner.at,
        value: { ...fields, [name]: inner.value },
      })),
    ]),
  ];
}

const without = (fields: Readonly<Record<string, unknown>>, name: string): object =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
