import { schema } from '@fuzzqe/core';
import { problemCodes, problemTitles } from '../errors/problem.ts';
import { formNamed, type OpenApiObject } from '../part/declaration.ts';

/** What servers answer to requests that come as far as no operation. */
export const unreadMeanings: Readonly<Record<number, string>> = {
  401: 'Unauthorized: the request has no key of this server.',
  403: 'Forbidden: the name that the server is called by, or the page that calls it, is none of its own.',
  408: 'Request Timeout: the request did not come whole in the time that it has.',
  429: 'Too Many Requests: more than the server takes at once, or than a client may send.',
  431: 'Request Header Fields Too Large: so are the address and the headers together.',
};

/** Their statuses. */
export const unread: readonly number[] = Object.keys(unreadMeanings).map(Number);

/** The form of problems. */
export const problemForm: OpenApiObject = formNamed('Problem');

const { object, optional, string } = schema;
const told = {
  status: schema.oneOf(Object.keys({ ...problemTitles, ...unreadMeanings }).map(Number)),
  code: schema.oneOf(problemCodes),
  path: optional(string),
  hint: optional(string),
};

/** RFC 9457, and what a line of a batch has of it. */
export const problemSchemas: Readonly<Record<'Problem' | 'LineProblem', schema.Schema<unknown>>> = {
  Problem: object({
    type: schema.oneOf(['about:blank']),
    title: string,
    ...told,
    detail: string,
    requestId: string,
  }),
  LineProblem: object({ ...told, detail: optional(string) }),
};

/** What their fields mean. */
export const problemNotes: Readonly<Record<string, string>> = {
  code: 'What was wrong, for programs.',
  detail: 'What was expected and what was found.',
  path: 'Where: a JSON path or the name of a parameter.',
  hint: 'How to mend it.',
};
