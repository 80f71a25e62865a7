/** A promise of docs/reliability.md and the test that holds it. */
export interface Promised {
  readonly promise: string;
  /** The test's file, from docs/. */
  readonly file: string;
  /** The test's title, or the part of it that is not filled in. */
  readonly title: string;
}

/** The rows of all tables; a row that is not `promise | [file](path): "title"` has an empty file. */
export function promisesOf(document: string): readonly Promised[] {
  const rows = document.split('\n').filter((line) => /^\| (?!Promise \|)/.test(line));
  return rows.map((row) => {
    const [, promise = row, file = '', title = ''] =
      /^\| (.+?) \| \[[^\]]+\]\(([^)]+)\): "([^"]+)" \|$/.exec(row) ?? [];
    return { promise, file, title };
  });
}

/** The promises whose test is not there, by a function that gives the text of a file, or undefined where there is none. */
export function unheld(
  promises: readonly Promised[],
  read: (file: string) => string | undefined,
): readonly string[] {
  return promises
    .filter(({ file, title }) => title === '' || !testTitles(read(file) ?? '').some((each) => each === title))
    .map(({ promise }) => promise);
}

/** The titles of the tests in a file: of `it`, `it.each(…)`, `test` and the like, and on the line after `it.each(…)(`. */
function testTitles(source: string): readonly string[] {
  const titles = source.matchAll(/(?:\b(?:it|test)\b[^'"`\n]*|\)\(\s*)(['"`])((?:\\.|(?!\1).)+)\1/g);
  return [...titles].map(([, , title]) => title!.replaceAll(/\\(.)/g, '$1'));
}
