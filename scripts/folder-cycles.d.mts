/** Cycles among the folders of a package, each as the folders on it; `files` holds sources by their paths below `src`. */
export function folderCycles(files: Iterable<readonly [path: string, text: string]>): string[][];
