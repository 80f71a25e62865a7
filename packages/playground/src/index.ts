/**
 * Where the built page lies: `index.html` and what it loads by relative addresses.
 *
 * @example
 * console.log(pageFolder.href);
 */
export const pageFolder: URL = new URL('../dist/app/', import.meta.url);
