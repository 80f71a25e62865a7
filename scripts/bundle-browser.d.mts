/** The text of one file with openBundle and its worker, from the sources or from what they were compiled to. */
export function bundleBrowser(options?: { readonly from?: 'dist' | 'src' }): Promise<string>;
