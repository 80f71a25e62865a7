import { type BundleSource, profileOf, readGolden, readManifest } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import type { SessionFactory } from '../sessions/session.ts';
import { type SessionCaseContext, sessionCases } from './session-cases.ts';

/** The functions of a test runner: those of vitest, or any with the same form. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it: ((name: string, body: () => Promise<void>) => unknown) & {
    skip(name: string, body: () => Promise<void>): unknown;
  };
}

/** What a runtime's suite runs on, made anew for every case. */
export interface SessionSetup {
  readonly source: BundleSource;
  readonly sessions: SessionFactory;
}

/** Cases that a runtime cannot pass, by name, and why; both appear in the report. */
export interface SkippedCases {
  readonly reason: string;
  readonly cases: readonly string[];
}

/**
 * Declares the contract of `SessionFactory` as tests of one runtime.
 *
 * @example
 * describeSession({ describe, it }, 'onnxruntime-node', async () => ({ source, sessions: nodeSessions(folder) }));
 */
export function describeSession(
  { describe, it }: TestRunner,
  name: string,
  setup: () => Promise<SessionSetup>,
  {
    skip = [],
    profile = 'fp32',
  }: { readonly skip?: readonly SkippedCases[]; readonly profile?: string } = {},
): void {
  const unknown = skip
    .flatMap(({ cases }) => cases)
    .find((skipped) => !sessionCases.some((entry) => entry.name === skipped));
  if (unknown !== undefined) {
    throw new FuzzError('usage', `skip: no session case is called ${JSON.stringify(unknown)}`);
  }
  describe(name, () => {
    for (const sessionCase of sessionCases) {
      const skipped = skip.find(({ cases }) => cases.includes(sessionCase.name));
      const body = async (): Promise<void> => sessionCase.run(await contextOf(await setup(), profile));
      if (skipped === undefined) it(sessionCase.name, body);
      else it.skip(`${sessionCase.name} (${skipped.reason})`, body);
    }
  });
}

async function contextOf(
  { source, sessions }: SessionSetup,
  profileName: string,
): Promise<SessionCaseContext> {
  const manifest = await readManifest(source);
  const profile = profileOf(manifest, profileName);
  const golden = await readGolden(source, manifest, profileName);
  return { source, sessions, manifest, golden, profile, profileName };
}
