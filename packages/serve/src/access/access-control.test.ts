import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { RequestError } from '@fuzzqe/api';
import { describe, expect, it } from 'vitest';
import { createAccessControl } from './access-control.ts';
import { createAccessKey, parseAccessKeys } from './access-keys.ts';
import { createRateLimit } from './rate-limit.ts';

const made = ['ann', 'bob'].map(createAccessKey);
const [ann, bob] = made.map(({ key }) => key);
const keys = parseAccessKeys(made.map(({ line }) => line).join('\n'), 'keys.txt');

/** A request of an address, as node:http gives it. */
function requestOf(remoteAddress: string, key?: string): IncomingMessage {
  const request = new IncomingMessage(
    Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress }),
  );
  if (key !== undefined) request.headers.authorization = `Bearer ${key}`;
  return request;
}

/** Asks in a moment in which each client may ask once; gives why it may not, or that it may. */
function askOnce(withKeys = false): (address: string, key?: string) => unknown {
  const { admit } = createAccessControl({
    keys: () => (withKeys ? keys : undefined),
    rateLimit: createRateLimit({ perSecond: 1, burst: 1, now: () => 0 }),
    isOpen: () => false,
    noteClient: () => undefined,
    noteRefusal: () => undefined,
  });
  return (address, key) => {
    try {
      admit(requestOf(address, key));
      return 'may';
    } catch (error) {
      return error instanceof RequestError ? error.code : error;
    }
  };
}

describe('the rate of clients without a key', () => {
  it.each([
    ['addresses of the same /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['an address at its shortest and in full', '2001:db8::1', '2001:db8:0:0:0:0:0:2'],
    ['zeros that begin an address', '::1', '0:0:0:0:1:2:3:4'],
  ])('is one for %s', (_, first, second) => {
    const ask = askOnce();
    expect([ask(first), ask(second)]).toEqual(['may', 'rate-limit']);
  });

  it.each([
    // A provider gives each customer a /64 or more: of a wider network, one customer would shut out others.
    ['of two /64 in the same /48', '2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['of IPv4', '192.0.2.1', '192.0.2.2'],
    ['of IPv4 as a server of IPv6 sees them', '::ffff:192.0.2.1', '::ffff:192.0.2.2'],
  ])('is each its own for addresses %s', (_, first, second) => {
    const ask = askOnce();
    expect([ask(first), ask(second), ask(first)]).toEqual(['may', 'may', 'rate-limit']);
  });

  it('is that of their network where they guess keys, with another key for each guess', () => {
    const ask = askOnce(true);
    expect([ask('2001:db8:1:2::1', 'guess'), ask('2001:db8:1:2::2', 'another')]).toEqual([
      'unauthorised',
      'rate-limit',
    ]);
    expect(ask('2001:db8:1:3::1', 'guess')).toBe('unauthorised');
  });
});

it('holds each key to a rate of its own, wherever it is used from', () => {
  const ask = askOnce(true);
  // Behind a proxy all clients have one address.
  expect([ask('192.0.2.1', ann), ask('192.0.2.1', bob), ask('192.0.2.2', ann)]).toEqual([
    'may',
    'may',
    'rate-limit',
  ]);
});
