/** How the IRI of an entity begins whose key is none. */
export const entityBeginning = 'urn:fuzzqe:entity:';

/** How the IRI of a relation begins whose key is none. */
export const relationBeginning = 'urn:fuzzqe:relation:';

/** Whether a text is an IRI with a scheme. */
export function isAbsoluteIri(text: string): boolean {
  return absolute.test(text);
}

const absolute = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{C}<>"{}|^\u0060\\]*$/u;

// Most other keys with a colon are no IRIs: `country:AND` would be taken for a prefixed name.
const scheme = /^(?:[A-Za-z][A-Za-z0-9+.-]*:\/\/|(?:did|doi|info|mailto|tag|urn):)/;

/**
 * The IRI of a key: itself where it is one, else the key after that beginning, percent-encoded where it has to be.
 *
 * Where keys are not known to be IRIs, one of a scheme that is not known is none.
 */
export function keyIri(key: string, beginning: string, areIris = false): string {
  // A key that looks like ours would be read as the rest of it.
  if (absolute.test(key) && (areIris || scheme.test(key)) && !key.startsWith('urn:fuzzqe:')) return key;
  return beginning + key.replace(/[^\p{L}\p{M}\p{N}\-._~!$&'()*+,;=:@/]/gu, encodeURIComponent);
}
