import { isValidity } from '@fuzzqe/names';
import { changeKinds, isChange } from './check-batch.ts';
import type { ChangeKind, FactChange } from './fact-store.ts';
import { isText } from './text-fields.ts';

/** What stands between two changes; no text in JSON has it, because quotes in texts are escaped. */
const between = ',{"does":"';
const kinds: readonly (readonly [text: string, does: ChangeKind])[] = changeKinds.map((does) => [
  `{"does":"${does}"`,
  does,
]);

/**
 * Reads changes from JSON as `encodeBatch` writes it, from the first `{` of them to `]}`, and gives each to a function; false for any
 * other JSON.
 *
 * They are what `JSON.parse` gives, but several times faster: `JSON.parse` looks each short text up in a table of all texts. Only a
 * change with escaped characters goes through it.
 */
export function parseChanges(json: string, from: number, take: (change: FactChange) => void): boolean {
  const end = json.length - 2;
  if (!json.endsWith(']}')) return false;
  let at = from;
  let backslash = json.indexOf('\\', from);

  /** The text after a prefix, or undefined if something else stands there. */
  const text = (prefix: string): string | undefined => {
    if (!json.startsWith(prefix, at)) return undefined;
    const start = at + prefix.length;
    const quote = json.indexOf('"', start);
    if (backslash !== -1 && backslash < start) backslash = json.indexOf('\\', start);
    if (quote === -1 || (backslash !== -1 && backslash < quote)) return undefined;
    const found = json.slice(start, quote);
    if (!isText(found)) return undefined;
    at = quote + 1;
    return found;
  };
  const number = (prefix: string, least: number): number | undefined => {
    if (!json.startsWith(prefix, at)) return undefined;
    const brace = json.indexOf('}', at);
    const comma = json.indexOf(',', at + prefix.length);
    const stop = comma === -1 || brace < comma ? brace : comma;
    const digits = json.slice(at + prefix.length, stop);
    const value = Number(digits);
    if (!(value >= least && value <= 1) || String(value) !== digits) return undefined;
    at = stop;
    return value;
  };
  /** A change without escapes; undefined if something else stands there. */
  const plainChange = (): FactChange | undefined => {
    const kind = kinds.find(([text]) => json.startsWith(text, at));
    if (kind === undefined) return undefined;
    const [{ length }, does] = kind;
    at += length;
    const head = text(',"head":"');
    const relation = text(',"relation":"');
    const tail = text(',"tail":"');
    if (!head || !relation || !tail) return undefined;
    let change: FactChange = { does, head, relation, tail };
    if (json[at] === '}') return change;
    const source = text(',"source":"');
    if (source !== undefined) change = { ...change, source };
    const date = text(',"date":"');
    if (date !== undefined) change = { ...change, date };
    const confidence = number(',"confidence":', Number.MIN_VALUE);
    if (confidence !== undefined) change = { ...change, confidence };
    const from = text(',"from":"');
    if (from !== undefined) change = { ...change, from };
    const until = text(',"until":"');
    if (until !== undefined) change = { ...change, until };
    if (!isValidity(from, until)) return undefined;
    const said = number(',"said":', 0);
    if (said !== undefined) change = { ...change, said };
    return json[at] === '}' ? change : undefined;
  };
  const anyChange = (start: number): FactChange | undefined => {
    const next = json.indexOf(between, start);
    const stop = next === -1 ? end : next;
    const change = parsed(json.slice(start, stop));
    at = stop - 1;
    return isChange(change) ? change : undefined;
  };

  for (;;) {
    const start = at;
    const change = plainChange() ?? anyChange(start);
    if (change === undefined) return false;
    take(change);
    at += 1;
    if (at === end) return true;
    if (!json.startsWith(between, at)) return false;
    at += 1;
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
