/** Something wrong with a document. A fault that does not fail is a warning. */
export interface DocumentFault {
  readonly line: number;
  readonly fails: boolean;
  readonly message: string;
}

/** The repository, as links see it. */
export interface RepositoryFiles {
  isThere(path: string): boolean;
  read(path: string): string;
}

/** Words of a sentence from which on it is told, and from which on it fails. */
export const sentenceLimits: { readonly warns: number; readonly fails: number };

/** What is wrong with a document. */
export function faultsOf(path: string, text: string, files: RepositoryFiles): readonly DocumentFault[];

/** Pages of the sidebar that are not there, and documents without a place in it. */
export function sidebarFaults(
  sections: readonly { readonly pages: readonly { readonly path: string }[] }[],
  documents: readonly string[],
): readonly string[];
