import { FuzzError } from '@fuzzqe/core';
import { countSlots, instantiate, matchStructure, structures, type Template } from '@fuzzqe/core/query';
import { parseTemplate } from './parse-template.ts';
import { isPublished, type QueryStructure, structureOf } from './query-structure.ts';

/**
 * Reads a structure: the name of one of the 14, or a text with placeholders, `name = ` before it or not.
 *
 * `2i`, `and(project(?r1, ?a1), not(project(?r2, ?a2)))`, `chain = project(?b, project(?a, ?start))`
 * Without a name, a text that says what one of the 14 says, operands in any order, is that structure; any other is
 * named by the text that `formatStructure` writes. docs/sampling.md specifies the form.
 *
 * @throws FuzzError `query`: a text that is no structure; a shape that no query is sampled of; a name that one of the
 *   14 has for another shape.
 */
export function parseStructure(text: string): QueryStructure {
  const trimmed = text.trim();
  if (isPublished(trimmed)) return structureOf<string>(trimmed);
  const [, name, body] = /^\s*([^\s=(),?"]+)\s*=(.*)$/su.exec(text) ?? [undefined, undefined, text];
  const template = parseTemplate(body!);
  const known = publishedAs(template);
  if (name === undefined) {
    if (known !== undefined) return known;
    return { name: formatTemplate(template), template, ...countSlots(template) };
  }
  if (known?.name === name) return known;
  if (isPublished(name)) {
    throw new FuzzError('query', `structure: expected another name than ${name}, which has another shape`, {
      path: text,
      hint: `${name} is ${formatTemplate(structures[name].template)}.`,
    });
  }
  return { name, template, ...countSlots(template) };
}

/** Writes a structure such that `parseStructure` reads it again: the name of one of the 14, else its text. */
export function formatStructure({ name, template }: QueryStructure): string {
  if (isPublished(name)) return name;
  const text = formatTemplate(template);
  return name === text ? text : `${name} = ${text}`;
}

/** A template with its slots as placeholders, counted from 1: `and(project(?r1, ?a1), project(?r2, ?a2))`. */
export function formatTemplate(template: Template): string {
  switch (template.op) {
    case 'entity':
      return `?a${template.anchor + 1}`;
    case 'project':
      return `project(?r${template.relation + 1}, ${formatTemplate(template.from)})`;
    case 'not':
      return `not(${formatTemplate(template.operand)})`;
    default:
      return `${template.op}(${template.operands.map(formatTemplate).join(', ')})`;
  }
}

/** Which of the 14 a template is, operands in any order. */
function publishedAs(template: Template): QueryStructure | undefined {
  const slots = countSlots(template);
  const ids = Array.from({ length: Math.max(slots.anchors, slots.relations) }, (_, slot) => slot);
  const match = matchStructure(instantiate(template, ids, ids));
  return match === undefined ? undefined : structureOf<string>(match.structure.name);
}
