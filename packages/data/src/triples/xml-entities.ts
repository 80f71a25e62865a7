import { FuzzError } from '@fuzzqe/core';

/** Entities stand for parts of IRIs. Entities that double each other grow without end. */
const longest = 4096;

/**
 * The beginning of an XML file, with entities that are declared by earlier ones written out: `<!ENTITY b "&a;x#">`. The
 * parser of RDF/XML would leave `&a;` in IRIs.
 *
 * @throws FuzzError `data`: an entity of more than 4096 letters.
 */
export function expandEntities(text: string, path: string): string {
  const known = new Map<string, string>();
  return text.replace(/<!DOCTYPE[^[>]*\[[\s\S]*?\]\s*>/, (doctype) =>
    doctype.replace(
      /(<!ENTITY\s+([^\s%]\S*)\s+)(?:"([^"]*)"|'([^']*)')/g,
      (_, before: string, name: string, double?: string, single?: string) => {
        const value = (double ?? single ?? '').replace(
          /&([^\s&;#]+);/g,
          (reference, other: string) => known.get(other) ?? reference,
        );
        if (value.length > longest)
          throw new FuzzError('data', `XML: expected entities of at most ${longest} letters, got more`, {
            path,
            hint: `Write out what &${name}; stands for.`,
          });
        known.set(name, value);
        const quote = double === undefined ? "'" : '"';
        return `${before}${quote}${value}${quote}`;
      },
    ),
  );
}
