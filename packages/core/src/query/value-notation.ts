import { isName, type NotationReader } from './notation-reader.ts';
import { describePosition } from './text-position.ts';
import type { Token } from './tokens.ts';
import {
  type ComparedValue,
  checkValueTest,
  type ValueOperator,
  type ValueTest,
  valueOfWord,
  valueOperators,
} from './value-test.ts';

/** Reads `property > value`, up to the parenthesis after it. Throws: as `parsePatternText`. */
export function readValueTest(reader: NotationReader, text: string, path: string | undefined): ValueTest {
  const at = reader.token;
  if (!isName(at) || at.kind === 'id') throw reader.fail(at, 'a property', usage);
  const property = at.kind === 'IRI' ? at.text.slice(1, -1) : at.text;
  reader.advance();
  const is = readOperator(reader);
  const values = readValues(reader, is);
  const place = describePosition(text, at.start);
  const test = { property, is: is === 'in' && values.length === 1 ? '=' : is, values };
  return {
    ...reader.located(at, () => checkValueTest(test, '')),
    place: path === undefined ? place : `${path}, ${place}`,
  };
}

function readOperator(reader: NotationReader): ValueOperator {
  const at = reader.token;
  const word = at.kind === 'bare name' ? at.text : at.kind;
  const is = valueOperators.find((operator) => operator === word);
  if (is === undefined) throw reader.fail(at, `${valueOperators.slice(0, -1).join(', ')} or contains`, usage);
  reader.advance();
  return is;
}

function readValues(reader: NotationReader, is: ValueOperator): ComparedValue[] {
  const at = reader.token;
  if (at.kind === 'quoted name') return [reader.advance().text];
  if (at.kind === 'variable')
    throw reader.fail(
      at,
      'a value',
      'FuzzQE predicts links, not numbers: a condition compares a recorded value with yours.',
    );
  let words = '';
  while (reader.token.kind === 'bare name') words += reader.advance().text;
  if (words === '') throw reader.fail(at, 'a value', usage);
  const dots = is === 'in' ? words.indexOf('..') : -1;
  if (dots < 0) return [readWord(reader, at, words)];
  return [words.slice(0, dots), words.slice(dots + 2)].map((word) => readWord(reader, at, word));
}

function readWord(reader: NotationReader, at: Token, word: string): ComparedValue {
  const value = valueOfWord(word);
  if (value === undefined)
    throw reader.fail(at, 'a number, a date, true or false', `Texts need double quotes. ${usage}`);
  return value;
}

const usage =
  'A condition on values is where(?x, property > 200), where(?x, property in 1900..1950) or where(?x, property contains "text").';
