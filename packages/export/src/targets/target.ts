import { FuzzError } from '@fuzzqe/core';
import type { CodeLayout } from '../profiles/entity-codes.ts';
import type { ProfileName } from '../profiles/profile.ts';

/** Where a bundle is to be used, in order of their names on the command line. */
export const targetNames = ['node', 'workers', 'hf'] as const;
export type TargetName = (typeof targetNames)[number];

/** What `fuzzqe export` writes: a bundle for one of these places, or a model repository of Triton. */
export type DestinationName = TargetName | 'triton';
export const destinationNames: readonly DestinationName[] = [...targetNames, 'triton'];

/** What a bundle for one place is like. */
export interface ExportTarget {
  /** One sentence for people. */
  readonly description: string;
  /** Whether all graphs of a profile are cases of one file. */
  readonly combined: boolean;
  /** How codes of entities lie in its weights. */
  readonly codes: CodeLayout;
  /** Files that are larger lie in parts of at most so many bytes. */
  readonly partBytes: number;
  /** How many golden queries of each structure it keeps. */
  readonly goldenEach: number;
  /** How much memory there is, in bytes: where only facts are too much, the bundle is made without. */
  readonly memory: number;
  /** How many profiles it has at most. */
  readonly mostProfiles: number;
  /** Which profile it has where none is named: the first of these that the model can have. */
  readonly defaultProfiles: readonly [ProfileName, ...ProfileName[]];
  /** Whether it is laid out as a repository of the Hugging Face Hub: what the Hub reads in the card, and what Git stores apart. */
  readonly hub: boolean;
}

/** What an isolate of Cloudflare may take, in bytes. */
export const workerMemory = 128e6;

/** Every target by its name. */
export const targets: Readonly<Record<TargetName, ExportTarget>> = {
  node: {
    description: 'a file for each graph, for servers and for runtimes that open files by their path',
    combined: false,
    codes: 'matrix',
    partBytes: Number.POSITIVE_INFINITY,
    goldenEach: Number.POSITIVE_INFINITY,
    memory: Number.POSITIVE_INFINITY,
    mostProfiles: Number.POSITIVE_INFINITY,
    defaultProfiles: ['fp32'],
    hub: false,
  },
  workers: {
    description: 'one profile with one graph for everything, in files that Workers take as assets',
    combined: true,
    // Nothing is copied to where it would be multiplied fast: WebAssembly has no such copy, and no memory for one.
    codes: 'panels',
    // An asset may have 25 MiB.
    partBytes: 24 * 2 ** 20,
    // Readiness asks one of each structure.
    goldenEach: 1,
    memory: workerMemory,
    mostProfiles: 1,
    defaultProfiles: ['int8-basis', 'int8'],
    hub: false,
  },
  hf: {
    description: 'what the node target writes, as a repository of the Hugging Face Hub',
    combined: false,
    codes: 'matrix',
    partBytes: Number.POSITIVE_INFINITY,
    goldenEach: Number.POSITIVE_INFINITY,
    memory: Number.POSITIVE_INFINITY,
    mostProfiles: Number.POSITIVE_INFINITY,
    defaultProfiles: ['fp32'],
    hub: true,
  },
};

/** @throws FuzzError `usage`: a target has fewer profiles than are wanted. */
export function checkTarget(name: TargetName, profiles: readonly ProfileName[]): void {
  const { mostProfiles } = targets[name];
  if (profiles.length > mostProfiles)
    throw new FuzzError(
      'usage',
      `target ${name}: expected ${mostProfiles === 1 ? 'one profile' : `at most ${mostProfiles} profiles`}, got ${profiles.join(', ')}`,
      { path: 'profiles', hint: 'Export each to a folder of its own.' },
    );
}
