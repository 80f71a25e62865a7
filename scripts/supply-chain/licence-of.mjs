/** The licence that a package names, as an SPDX expression; 'unknown' where it names none. */
export function licenceOf({ license, licenses }) {
  if (typeof license === 'string') return license;
  return license?.type ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'unknown';
}

/** Which of a package's files is its licence text; undefined where none is. */
export function licenceFileOf(files) {
  return files.find((path) => /^(licen[cs]e|copying)/i.test(path));
}

/** Licences that ask for their text or a notice, and for nothing of the code that uses the package. */
const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
  'Zlib',
]);

/** Whether code under an SPDX expression may be used without its licence reaching what uses it. */
export function isPermissive(expression) {
  const choices = expression.replaceAll(/[()]/g, ' ').split(/\s+OR\s+/);
  return choices.some((choice) =>
    choice
      .trim()
      .split(/\s+AND\s+/)
      .every((licence) => permissive.has(licence.trim())),
  );
}
