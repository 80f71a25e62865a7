import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FuzzError, type Random } from '@fuzzqe/core';
import { hashFile, makeFolder, pathExists, writeFileWhole } from '@fuzzqe/files';
import type { Dataset } from '../datasets/dataset.ts';
import { hasHeldOutFacts } from '../sampling/query-sets.ts';
import { type AnsweredPattern } from './answered-pattern.ts';
import { efo1Names, efo1Types } from './efo1-types.ts';
import { patternsToJsonLines, readPatterns } from './pattern-lines.ts';
import { samplePatterns } from './sample-patterns.ts';

/** The parts of which patterns are drawn. */
export type PatternPart = 'valid' | 'test';

/** Where a data set's folder has the patterns of a part. */
export function patternFileOf(folder: string, part: PatternPart): string {
  return join(folder, 'queries', `${part}.patterns.jsonl`);
}

/** How patterns of a data set are sampled. */
export interface PatternSetOptions {
  /** How many of each type. */
  readonly count: number;
  readonly random: Random;
  readonly maxAnswers?: number;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}
