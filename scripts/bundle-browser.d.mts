/** The text of one file with openBundle and its worker, from the sources or from what they were compiled to. */
export function bundleBrowser(options?: {
  readonly from?: 'dist' | 'src';
  /** Whether it keeps facts of one's own. */
  readonly overlay?: boolean;
}): Promise<string>;
