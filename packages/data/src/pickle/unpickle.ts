import { FuzzError } from '@fuzzqe/core';
import { construct, findClass } from './construct.ts';
import { opcode, opcodeName } from './opcodes.ts';
import { createPickleReader, type PickleReader } from './pickle-reader.ts';
import { PickleClass, PickleDict, PickleSet, type PickleValue } from './pickle-value.ts';
import { createPickleStack, type PickleStack } from './stack.ts';

const plainOnly =
  'Only dicts, lists, tuples, sets, numbers, strings, booleans and None are read from a pickle.';

/**
 * Reads a pickle of protocol 2 to 5 that holds dicts, lists, tuples, sets, numbers, strings, booleans and None only.
 *
 * Nothing in the file is run: of classes it knows the plain containers and `collections.defaultdict` by name, and
 * makes them itself. Time and memory are linear in the length of the file.
 *
 * Source: CPython, Lib/pickle.py and Lib/pickletools.py.
 *
 * @throws FuzzError `data` with `path`: an opcode or a class that is not admitted, by its name; a file that is cut short
 *   or is no pickle.
 */
export function unpickle(bytes: Buffer, path: string): PickleValue {
  const reader = createPickleReader(bytes, path);
  const bad = (message: string, hint = 'The file is damaged: fetch it again.'): FuzzError =>
    new FuzzError('data', `pickle: ${message}, at byte ${reader.offset - 1}`, { path, hint });
  checkProtocol(reader, path);
  const stack = createPickleStack(bad);
  // A call copies what it is given. Python writes each such list once, so that all of them take no more than the file.
  let copies = 0;
  const copied = (items: number): void => {
    copies += items;
    if (copies > bytes.length) throw bad('expected each list to become one set, got one that becomes many');
  };
  for (;;) {
    const code = reader.uint8();
    if (code === opcode.STOP) return stack.pop();
    if (pushScalar(code, reader, stack) || pushContainer(code, stack) || arrange(code, reader, stack))
      continue;
    if (addTo(code, stack, bad) || useClass(code, reader, stack, copied, bad)) continue;
    throw bad(`expected plain data, got the opcode ${opcodeName(code)}`, plainOnly);
  }
}

function checkProtocol(reader: PickleReader, path: string): void {
  const isMarked = reader.uint8() === opcode.PROTO;
  const protocol = isMarked ? reader.uint8() : undefined;
  if (protocol !== undefined && protocol >= 2 && protocol <= 5) return;
  const got = protocol === undefined ? 'a file that names none' : protocol;
  throw new FuzzError('data', `pickle: expected protocol 2 to 5, got ${got}`, {
    path,
    hint: 'Write it again in Python: pickle.dump(data, file, protocol=4).',
  });
}

/** The functions below say whether the opcode was one of theirs. */
function pushScalar(code: number, reader: PickleReader, stack: PickleStack): boolean {
  switch (code) {
    case opcode.BININT2:
      stack.push(reader.uint16());
      return true;
    case opcode.BININT1:
      stack.push(reader.uint8());
      return true;
    case opcode.BININT:
      stack.push(reader.int32());
      return true;
    case opcode.LONG1:
      stack.push(reader.long(reader.uint8()));
      return true;
    case opcode.LONG4:
      stack.push(reader.long(reader.uint32()));
      return true;
    case opcode.BINFLOAT:
      stack.push(reader.float64());
      return true;
    case opcode.SHORT_BINUNICODE:
    // Python 2 wrote its strings as bytes: names in these files are ASCII.
    case opcode.SHORT_BINSTRING:
      stack.push(reader.text(reader.uint8()));
      return true;
    case opcode.BINUNICODE:
    case opcode.BINSTRING:
      stack.push(reader.text(reader.uint32()));
      return true;
    case opcode.BINUNICODE8:
      stack.push(reader.text(reader.uint64()));
      return true;
    case opcode.NONE:
      stack.push(null);
      return true;
    case opcode.NEWTRUE:
    case opcode.NEWFALSE:
      stack.push(code === opcode.NEWTRUE);
      return true;
    default:
      return false;
  }
}

function pushContainer(code: number, stack: PickleStack): boolean {
  switch (code) {
    case opcode.TUPLE1:
    case opcode.TUPLE2:
    case opcode.TUPLE3:
      stack.push(stack.take(code - opcode.TUPLE1 + 1));
      return true;
    case opcode.TUPLE:
      stack.push(stack.takeMarked());
      return true;
    case opcode.EMPTY_TUPLE:
    case opcode.EMPTY_LIST:
      stack.push([]);
      return true;
    case opcode.EMPTY_DICT:
      stack.push(new PickleDict());
      return true;
    case opcode.EMPTY_SET:
      stack.push(new PickleSet());
      return true;
    case opcode.FROZENSET:
      stack.push(new PickleSet(stack.takeMarked()));
      return true;
    default:
      return false;
  }
}

function arrange(code: number, reader: PickleReader, stack: PickleStack): boolean {
  switch (code) {
    case opcode.MEMOIZE:
      stack.memoize();
      return true;
    case opcode.BINPUT:
      stack.memoize(reader.uint8());
      return true;
    case opcode.LONG_BINPUT:
      stack.memoize(reader.uint32());
      return true;
    case opcode.BINGET:
      stack.recall(reader.uint8());
      return true;
    case opcode.LONG_BINGET:
      stack.recall(reader.uint32());
      return true;
    case opcode.MARK:
      stack.mark();
      return true;
    case opcode.POP:
      stack.pop();
      return true;
    case opcode.POP_MARK:
      stack.takeMarked();
      return true;
    case opcode.DUP:
      stack.push(stack.top());
      return true;
    case opcode.FRAME:
      // How many bytes to read ahead: of no use where the whole file is there.
      reader.uint64();
      return true;
    default:
      return false;
  }
}

function addTo(code: number, stack: PickleStack, bad: (message: string) => FuzzError): boolean {
  switch (code) {
    case opcode.SETITEM:
    case opcode.SETITEMS: {
      const items = code === opcode.SETITEM ? stack.take(2) : stack.takeMarked();
      const target = stack.top();
      if (!(target instanceof PickleDict) || items.length % 2 === 1)
        throw bad('expected a dict and its items');
      for (let i = 0; i < items.length; i += 2) {
        target.keys.push(items[i]!);
        target.values.push(items[i + 1]!);
      }
      return true;
    }
    case opcode.ADDITEMS: {
      const items = stack.takeMarked();
      const target = stack.top();
      if (!(target instanceof PickleSet)) throw bad('expected a set and its items');
      for (const item of items) target.items.push(item);
      return true;
    }
    case opcode.APPEND:
    case opcode.APPENDS: {
      const items = code === opcode.APPEND ? stack.take(1) : stack.takeMarked();
      const target = stack.top();
      if (!Array.isArray(target)) throw bad('expected a list and its items');
      const list: PickleValue[] = target;
      for (const item of items) list.push(item);
      return true;
    }
    default:
      return false;
  }
}

function useClass(
  code: number,
  reader: PickleReader,
  stack: PickleStack,
  copied: (items: number) => void,
  bad: (message: string, hint?: string) => FuzzError,
): boolean {
  switch (code) {
    case opcode.GLOBAL:
    case opcode.STACK_GLOBAL: {
      const [module, name] = code === opcode.GLOBAL ? [reader.line(), reader.line()] : stack.take(2);
      if (typeof module !== 'string' || typeof name !== 'string') throw bad('expected the name of a class');
      const full = `${module}.${name}`;
      const found = findClass(full);
      if (found === undefined) throw bad(`expected plain data, got the class ${full}`, plainOnly);
      stack.push(found);
      return true;
    }
    case opcode.REDUCE: {
      const [callee, args] = stack.take(2);
      const made = construct(callee!, args!, copied);
      if (made === undefined) {
        const what = callee instanceof PickleClass ? `the class ${callee.name}` : 'what is no class';
        throw bad(`expected a container to be made, got another call of ${what}`, plainOnly);
      }
      stack.push(made);
      return true;
    }
    default:
      return false;
  }
}
