/** A value of a field: messages are objects, repeated fields arrays. */
export type TextValue = string | number | boolean | Enumerated | TextMessage | readonly TextValue[];

/** A value of an enumeration, which is written without quotes. */
export interface Enumerated {
  readonly enumerated: string;
}

/** Fields by the names that the schema gives them, in the order in which they are written. */
export interface TextMessage {
  readonly [field: string]: TextValue;
}

/** A value of an enumeration. */
export const enumerated = (name: string): Enumerated => ({ enumerated: name });

/**
 * A message in the text format of Protocol Buffers.
 *
 * Source: https://protobuf.dev/reference/protobuf/textformat-spec/
 */
export function textFormat(message: TextMessage): string {
  return `${linesOf(message, '').join('\n')}\n`;
}

function linesOf(message: TextMessage, indent: string): string[] {
  return Object.entries(message).flatMap(([field, value]) =>
    (Array.isArray(value) ? (value as readonly TextValue[]) : [value as TextValue]) // Array.isArray narrows no readonly arrays
      .flatMap((each) => fieldLines(field, each, indent)),
  );
}

function fieldLines(field: string, value: TextValue, indent: string): string[] {
  if (typeof value === 'string') return [`${indent}${field}: ${quoted(value)}`];
  if (typeof value !== 'object') return [`${indent}${field}: ${value}`];
  if ('enumerated' in value) return [`${indent}${field}: ${String(value.enumerated)}`];
  const inner = linesOf(value as TextMessage, `${indent}  `); // arrays in arrays do not occur in messages
  return inner.length === 0 ? [`${indent}${field} {}`] : [`${indent}${field} {`, ...inner, `${indent}}`];
}

/** Bytes that a quoted string may not have as they are, as octal escapes. */
function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
  const escaped = text.replaceAll(/["\\\u0000-\u001f\u007f]/g, (found) =>
    found === '"' || found === '\\' ? `\\${found}` : `\\${found.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${escaped}"`;
}
