import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from './workspace.ts';

const folder = mkdtempSync(join(tmpdir(), 'fuzzqe-counts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let written = 0;

type Tests = readonly (readonly [state: string, fullName: string])[];

/** A report, as vitest writes it, of files with these tests. */
function report(
  files: Readonly<Record<string, { readonly status: string; readonly tests?: Tests }>>,
): string {
  const path = join(folder, `${written++}.json`);
  const testResults = Object.entries(files).map(([name, { status, tests = [] }]) => ({
    name,
    status,
    assertionResults: tests.map(([state, fullName]) => ({ status: state, fullName })),
  }));
  writeFileSync(path, JSON.stringify({ testResults }));
  return path;
}

const counted = (status: number, ...paths: readonly string[]): string =>
  run('.ci/count-tests.mjs', [String(status), ...paths]).stdout;

const a = { status: 'passed', tests: [['passed', 'a']] } as const;

it('the line of CI sums over its runs', () => {
  const first = report({
    a,
    b: {
      status: 'passed',
      tests: [
        ['passed', 'b'],
        ['skipped', 'Node 20 exports'],
      ],
    },
  });
  const second = report({
    c: {
      status: 'failed',
      tests: [
        ['passed', 'c'],
        ['failed', 'd'],
      ],
    },
  });
  expect(counted(0, first)).toBe('2 passed, 0 failed\n');
  expect(counted(1, first, second)).toBe('3 passed, 1 failed\n');
});

it('the line of CI counts a file that does not load, a run without a report, and a failure outside of tests', () => {
  expect(counted(1, report({ a: { status: 'failed' } }))).toBe('0 passed, 1 failed\n');
  const none = join(folder, 'none.json');
  expect(counted(1, report({ a }), none)).toBe('1 passed, 1 failed\n');
  expect(counted(0, report({ a }), none)).toBe('1 passed, 1 failed\n');
});

it.each(['in workerd answers', 'chromium answers', 'training through WebGPU equals'])(
  'the line of CI counts as failed what has to run there and was skipped: %s',
  (name) => {
    const skipped = { status: 'passed', tests: [['skipped', name]] } as const;
    expect(counted(0, report({ a, skipped }))).toBe('1 passed, 1 failed\n');
  },
);

describe('a file whose process died', () => {
  const tests = (state: string): Tests => [
    [state, 'in workerd answers'],
    [state, 'b'],
  ];
  const died = { status: 'passed', tests: tests('pending') };

  it('is named where nothing else failed, and counts as it did when it ran again', () => {
    const first = report({ a, b: died });
    expect(run('.ci/died.mjs', [first])).toMatchObject({ status: 0, stdout: 'b\n' });
    expect(counted(0, first, report({ b: { status: 'passed', tests: tests('passed') } }))).toBe(
      '3 passed, 0 failed\n',
    );
    expect(counted(1, first, report({ b: died }))).toBe('1 passed, 1 failed\n');
  });

  it('is not named beside another, or where a test failed', () => {
    expect(run('.ci/died.mjs', [report({ a })]).status).toBe(1);
    expect(run('.ci/died.mjs', [report({ a: died, b: died })]).status).toBe(1);
    expect(run('.ci/died.mjs', [report({ a: { status: 'failed' }, b: died })]).status).toBe(1);
  });
});
