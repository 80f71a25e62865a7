import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { run } from './workspace.ts';

const folder = mkdtempSync(join(tmpdir(), 'fuzzqe-counts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let written = 0;

/** A report of one test file, as vitest writes it. */
function report(status: string, ...tests: readonly (readonly [state: string, fullName: string])[]): string {
  const path = join(folder, `${written++}.json`);
  const number = (state: string): number => tests.filter(([each]) => each === state).length;
  const content = {
    numPassedTests: number('passed'),
    numFailedTests: number('failed'),
    testResults: [
      { status, assertionResults: tests.map(([state, fullName]) => ({ status: state, fullName })) },
    ],
  };
  writeFileSync(path, JSON.stringify(content));
  return path;
}

const counted = (status: number, ...paths: readonly string[]): string =>
  run('.ci/count-tests.mjs', [String(status), ...paths]).stdout;

it('the line of CI sums over its runs', () => {
  const first = report('passed', ['passed', 'a'], ['passed', 'b'], ['skipped', 'Node 20 exports']);
  const second = report('failed', ['passed', 'c'], ['failed', 'd']);
  expect(counted(0, first)).toBe('2 passed, 0 failed\n');
  expect(counted(1, first, second)).toBe('3 passed, 1 failed\n');
});

it('the line of CI counts a file that does not load, a run without a report, and a failure outside of tests', () => {
  expect(counted(1, report('failed'))).toBe('0 passed, 1 failed\n');
  expect(counted(1, report('passed', ['passed', 'a']), join(folder, 'none.json'))).toBe(
    '1 passed, 1 failed\n',
  );
});

it.each(['in workerd answers', 'chromium answers', 'training through WebGPU equals'])(
  'the line of CI counts as failed what has to run there and was skipped: %s',
  (name) => {
    expect(counted(0, report('passed', ['passed', 'a'], ['skipped', name]))).toBe('1 passed, 1 failed\n');
  },
);
