import { expect, it } from 'vitest';
import { readWholeRequest } from './whole-request.ts';

const post = (more = '', body = '{}', length = `content-length: ${body.length}\r\n`): Buffer =>
  Buffer.from(`POST /v1/query?pretty HTTP/1.1\r\nHost: here\r\n${length}${more}\r\n${body}`);

it('reads plain requests of which every byte has come', () => {
  expect(readWholeRequest(post('X-Request-Id: a-1\r\nConnection: Keep-Alive\r\n'))).toEqual({
    method: 'POST',
    path: '/v1/query',
    requestId: 'a-1',
  });
  const get = Buffer.from('GET /v1/entities HTTP/1.1\r\nhost: here\r\n\r\n');
  expect(readWholeRequest(get)).toEqual({ method: 'GET', path: '/v1/entities', requestId: undefined });
});

it.each([
  ['bytes of the body are to come', post('', '{', 'content-length: 2\r\n')],
  ['bytes follow it', Buffer.concat([post(), post()])],
  ['headers are to come', post().subarray(0, 40)],
  ['its length is given twice', post('Content-Length: 2\r\n')],
  ['its length is no number', post('', '{}', 'content-length: +2\r\n')],
  ['it comes in chunks', post('Transfer-Encoding: chunked\r\n')],
  ['it comes in chunks alone', post('transfer-encoding : chunked\r\n', '{}', '')],
  ['it names no host', Buffer.from('GET / HTTP/1.1\r\nx: y\r\n\r\n')],
  ['it names two hosts', post('Host: there\r\n')],
  ['it speaks to a proxy', post('Proxy-Connection: close\r\n')],
  ['its head is larger than the parser takes', post(`x: ${'y'.repeat(16_384)}\r\n`)],
  ['its connection ends', post('connection: close\r\n')],
  ['its client waits to send on', post('Expect: 100-continue\r\n')],
  ['it is of a page elsewhere', post('Origin: http://there\r\n')],
  ['a header goes on in the next line', post('x: y\r\n z: 1\r\n')],
  ['a line ends without its return', post('x: y\nz: 1\r\n')],
  ['it is of HTTP/1.0', Buffer.from('GET / HTTP/1.0\r\nhost: here\r\n\r\n')],
  ['its method is another', Buffer.from('PUT / HTTP/1.1\r\nhost: here\r\n\r\n')],
])('leaves to the parser what is not: %s', (_, bytes) => {
  expect(readWholeRequest(bytes)).toBeUndefined();
});
