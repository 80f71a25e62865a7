/** What prefixes stand for, by their names without the colon: `ex` → `http://example.org/`. The empty name is one, too. */
export type Prefixes = ReadonlyMap<string, string>;

const noPrefix = /[^\p{L}\p{M}\p{N}_.-]/u;

/** The prefix of `ex:Thing`, known or not; undefined for what is no prefixed name, as `http://…` and blank nodes. */
export function prefixOf(name: string): string | undefined {
  const colon = name.indexOf(':');
  if (colon < 0 || name.startsWith('//', colon + 1) || /\s/u.test(name)) return undefined;
  const prefix = name.slice(0, colon);
  return prefix === '_' || noPrefix.test(prefix) ? undefined : prefix;
}

/** The key that `<iri>` or a name with a known prefix stands for; undefined for other names. */
export function keyBehind(name: string, prefixes: Prefixes): string | undefined {
  const inBrackets = keyInBrackets(name);
  if (inBrackets !== undefined) return inBrackets;
  const prefix = prefixOf(name);
  const iri = prefix === undefined ? undefined : prefixes.get(prefix);
  return iri === undefined ? undefined : iri + name.slice(prefix!.length + 1);
}

/** An IRI by the prefix that says most of it; undefined where no prefix begins it. */
export function withPrefix(iri: string, prefixes: Prefixes): string | undefined {
  let best: readonly [name: string, start: string] | undefined;
  for (const [name, start] of prefixes)
    if (iri.startsWith(start) && start.length > (best?.[1].length ?? 0)) best = [name, start];
  return best === undefined ? undefined : `${best[0]}:${iri.slice(best[1].length)}`;
}

const plainIri = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s\p{C}<>"{}|^`\\]*$/u;

/** Whether a key is an IRI that can stand between `<` and `>` as it is. */
export function isIri(key: string): boolean {
  return plainIri.test(key);
}

/** The key that `<key>` stands for; undefined where a name is written otherwise. */
export function keyInBrackets(name: string): string | undefined {
  return name.startsWith('<') && name.endsWith('>') ? name.slice(1, -1) : undefined;
}
