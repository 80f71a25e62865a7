import { schema } from '@fuzzqe/core';

/** Most characters of a key, a source, a date or a name. */
const longestText = 65_536;

/** A text of at least and at most so many characters, without NUL. */
export function textOf(most: number, least = 1): schema.Schema<string> {
  // With a root of its own, by which documents tell it from other texts.
  return schema.checked({ ...schema.string }, (text, report) => {
    if (text.length < least) report([], 'a text', 'an empty one');
    else if (text.length > most) report([], `at most ${most} characters`, `${text.length}`);
    else if (text.includes('\0')) report([], 'a text without NUL', `NUL at ${text.indexOf('\0')}`);
  });
}

/** A key, a source, a date or a name. */
export const text: schema.Schema<string> = textOf(longestText);

/** The same in JSON Schema. */
export const textForm: Readonly<Record<string, unknown>> = {
  ...{ type: 'string', minLength: 1, maxLength: longestText },
  pattern: '^[^\\u0000]*$',
};

/** As `text`, or empty. */
export const textOrEmpty: schema.Schema<string> = textOf(longestText, 0);

/** Whether a value is a text that a key may be. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestText && !value.includes('\0');
}
