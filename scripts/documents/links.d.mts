import type { RepositoryFiles } from './lint.mjs';

/** The links of a document that lead nowhere. */
export function brokenLinks(
  path: string,
  text: string,
  files: RepositoryFiles,
): readonly { readonly line: number; readonly target: string; readonly fault: string }[];
