import type { schema } from '@fuzzqe/core';
import type { Engine } from '@fuzzqe/engine';
import type { ApiContext } from './api-part.ts';

/** An object of OpenAPI 3.1, as JSON. */
export type OpenApiObject = Readonly<Record<string, unknown>>;

/** The reader of a value, of which documents have the JSON Schema, or JSON Schema where no reader says everything. */
export type Form = schema.Schema<unknown> | OpenApiObject;

/** What people should know of fields by their names, at any depth: a description, and bounds that are held elsewhere. */
export type FieldNotes = Readonly<Record<string, string | OpenApiObject>>;

/** What a route answers with a status. */
export interface DeclaredAnswer {
  /** Default: `The answer.` */
  readonly meaning?: string;
  /** By media type. */
  readonly content?: Readonly<Record<string, Form>>;
  readonly headers?: Readonly<Record<string, Form>>;
}

/** What a route reads and answers. Documents have its method and its path, its problems and its identifier besides. */
export interface Declaration {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Parameters of the path; other parameters of a path are texts. */
  readonly path?: Readonly<Record<string, Form>>;
  /** The reader of the parameters of the address. */
  readonly query?: Form;
  /** By name in lower case. */
  readonly headers?: Readonly<Record<string, Form>>;
  /** By media type. */
  readonly body?: Readonly<Record<string, Form>>;
  /** Default: a route with a body needs it. */
  readonly mayLackBody?: true;
  /** Bodies of the first form, by their names. */
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
  /** Of the fields of the address, of headers and of the body. */
  readonly notes?: FieldNotes;
  readonly answers: Readonly<Record<number, DeclaredAnswer>>;
  /** Statuses of problems besides 500 and 503, and 404 of a path with parameters; with what they mean besides their titles. */
  readonly problems?: Readonly<Record<number, string>>;
  /** The form of problems, as JSON. Default: RFC 9457. */
  readonly refusal?: Form;
  /** Whether it is answered before anything is looked at, keys too. */
  readonly isProbe?: true;
}

/** What a part of an application declares. */
export interface Declarations {
  /** By method and path, as `GET /v1/entities/:id`. A route of the default model is declared once for all models. */
  readonly routes: Readonly<Record<string, Declaration>>;
  /** Forms that have names in documents, wherever they stand. */
  readonly schemas?: Readonly<Record<string, Form>>;
  /** What the checks of readers say in JSON Schema, which has no checks. */
  readonly stated?: readonly (readonly [reader: Form, said: OpenApiObject])[];
  /** Of the fields of the schemas and of answers. */
  readonly notes?: FieldNotes;
}

/** Declares routes of an application, with examples over the graph of a model. */
export type Declare = (context: ApiContext, engine: Engine) => Declarations;

/**
 * An answer in JSON.
 *
 * @example
 * answered(schema.object({ ok: schema.boolean }), 'It does.');
 */
export const answered = (form: Form, meaning?: string): DeclaredAnswer => ({
  ...(meaning === undefined ? {} : { meaning }),
  content: { 'application/json': form },
});

/** A form by its name in documents, where its reader stands elsewhere. */
export const formNamed = (name: string): OpenApiObject => ({ $ref: `#/components/schemas/${name}` });

/** Problems that mean no more than their titles say. */
export const titled = (...statuses: readonly number[]): Readonly<Record<number, string>> =>
  Object.fromEntries(statuses.map((status) => [status, '']));
