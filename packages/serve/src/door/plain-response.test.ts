import { expect, it } from 'vitest';
import { requestIdOf } from './plain-response.ts';

const idOf = (id: string | string[] | undefined): string =>
  requestIdOf({ headers: id === undefined ? {} : { 'x-request-id': id } } as Parameters<
    typeof requestIdOf
  >[0]);

it.each(['a', 'a-b_c=', 'x'.repeat(255)])('takes the id of a request that its client gave: %s', (id) => {
  expect(idOf(id)).toBe(id);
});

it.each([
  ['nothing', undefined],
  ['an empty one', ''],
  // It is in every line of the log, and in a header of the answer.
  ['a long one', 'x'.repeat(256)],
  ['one with a space', 'a b'],
  ['one of two lines', 'a\r\nset-cookie: b'],
])('makes an id where a client gave %s', (_, id) => {
  expect(idOf(id)).toMatch(/^[0-9a-f-]{36}$/);
});
