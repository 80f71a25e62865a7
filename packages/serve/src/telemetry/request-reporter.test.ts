import { describe, expect, it } from 'vitest';
import { createLog } from './log.ts';
import { createMetrics } from './metrics.ts';
import { createRequestReporter, type RequestLine } from './request-reporter.ts';

/** The line of the log that a request of this status has. */
function lineOf(status: number, more: Partial<RequestLine> = {}): Record<string, unknown> {
  let text = '';
  const metrics = createMetrics({ connections: () => 0, inFlight: () => 0, models: () => [] });
  const log = createLog({
    level: 'debug',
    write: (line) => {
      text += line;
    },
  });
  createRequestReporter({ log, metrics })({
    requestId: 'mine',
    method: 'POST',
    path: '/v1/query',
    route: '/v1/query',
    status,
    seconds: 0.001,
    address: '127.0.0.1',
    refused: undefined,
    ...more,
  });
  metrics.close();
  return JSON.parse(text);
}

describe('the line of a request', () => {
  it.each([
    [200, 'info'],
    [404, 'info'],
    [408, 'info'],
    [499, 'info'],
    [500, 'error'],
    [503, 'error'],
    [504, 'info'],
  ])('is an error where the server is at fault, which it is not for a deadline: %d', (status, level) => {
    const line = lineOf(status, { error: new Error('the cause') });
    expect(line).toMatchObject({ level, status });
    expect('error' in line).toBe(level === 'error');
  });

  it('is for who looks closely where an overload refused', () => {
    expect(lineOf(429, { refused: 'in-flight' })).toMatchObject({ level: 'debug' });
    expect(lineOf(429, { refused: 'rate' })).toMatchObject({ level: 'info' });
  });
});
