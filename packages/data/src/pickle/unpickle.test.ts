import { describe, expect, it } from 'vitest';
import { PickleDict, PickleSet, type PickleValue } from './pickle-value.ts';
import { unpickle } from './unpickle.ts';

/** What Python wrote, as hex: `pickle.dumps(value, protocol).hex()`. */
const answers = {
  2: '800263636f6c6c656374696f6e730a64656661756c74646963740a7100635f5f6275696c74696e5f5f0a7365740a7101857102527103284b014b0285710486710568015d7106284b034b046585710752710868054b054b064afeffffff86710986710a86710b68015d710c85710d52710e752e',
  3: '800363636f6c6c656374696f6e730a64656661756c74646963740a7100636275696c74696e730a7365740a7101857102527103284b014b0285710486710568015d7106284b034b046585710752710868054b054b064afeffffff86710986710a86710b68015d710c85710d52710e752e',
  4: '8004955b000000000000008c0b636f6c6c656374696f6e73948c0b64656661756c74646963749493948c086275696c74696e73948c0373657494939485945294284b014b02859486948f94284b034b049068094b054b064afeffffff8694869486948f94752e',
  5: '8005955b000000000000008c0b636f6c6c656374696f6e73948c0b64656661756c74646963749493948c086275696c74696e73948c0373657494939485945294284b014b02859486948f94284b034b049068094b054b064afeffffff8694869486948f94752e',
} as const;
const values = {
  2: '80027d71002858010000006171015d7102284b014a90eefeff8a06000000000001473ff800000000000088894e5802000000c3a97103655801000000747104857105635f5f6275696c74696e5f5f0a66726f7a656e7365740a71065d71074b07618571085271095805000000656d707479710a28295d710b7d710c635f5f6275696c74696e5f5f0a7365740a710d5d710e85710f527110747111752e',
  3: '80037d71002858010000006171015d7102284b014a90eefeff8a06000000000001473ff800000000000088894e5802000000c3a97103655801000000747104857105636275696c74696e730a66726f7a656e7365740a71065d71074b07618571085271095805000000656d707479710a28295d710b7d710c636275696c74696e730a7365740a710d5d710e85710f527110747111752e',
  4: '8004954a000000000000007d94288c0161945d94284b014a90eefeff8a06000000000001473ff800000000000088894e8c02c3a994658c0174948594284b0791948c05656d7074799428295d947d948f947494752e',
  5: '8005954a000000000000007d94288c0161945d94284b014a90eefeff8a06000000000001473ff800000000000088894e8c02c3a994658c0174948594284b0791948c05656d7074799428295d947d948f947494752e',
} as const;

const read = (hex: string): PickleValue => unpickle(Buffer.from(hex, 'hex'), 'file.pkl');

/** A pickled value as plain arrays, objects of entries and sorted sets, to compare. */
function plain(value: PickleValue): unknown {
  if (value instanceof PickleDict)
    return { dict: value.keys.map((key, i) => [plain(key), plain(value.values[i]!)]) };
  if (value instanceof PickleSet) return { set: value.items.map(plain).sort() };
  return Array.isArray(value) ? value.map(plain) : value;
}

describe.each([2, 3, 4, 5] as const)('a pickle of protocol %d', (protocol) => {
  it('gives a defaultdict of sets with tuples as keys', () => {
    expect(plain(read(answers[protocol]))).toEqual({
      dict: [
        [[1, [2]], { set: [3, 4] }],
        [
          [
            [1, [2]],
            [5, [6, -2]],
          ],
          { set: [] },
        ],
      ],
    });
  });

  it('gives numbers, strings, booleans, None and empty containers', () => {
    expect(plain(read(values[protocol]))).toEqual({
      dict: [
        ['a', [1, -70000, 2 ** 40, 1.5, true, false, null, 'é']],
        [['t'], { set: [7] }],
        ['empty', [[], [], { dict: [] }, { set: [] }]],
      ],
    });
  });

  it('is refused when it is cut short, wherever that is', () => {
    const whole = values[protocol];
    for (let length = 0; length < whole.length; length += 2) {
      expect(() => read(whole.slice(0, length))).toThrow('the end of the file');
    }
  });
});

describe('a pickle is refused that', () => {
  const cases: readonly [what: string, named: string, hex: string][] = [
    [
      'holds a class',
      'posix.system',
      '800263706f7369780a73797374656d0a710058040000006563686f71018571025271032e',
    ],
    [
      'holds a class by way of the stack',
      'posix.system',
      '8004951f000000000000008c05706f736978948c0673797374656d9493948c046563686f94859452942e',
    ],
    [
      'holds an ordered dict',
      'collections.OrderedDict',
      '80049529000000000000008c0b636f6c6c656374696f6e73948c0b4f726465726564446963749493942952948c0161944b01732e',
    ],
    [
      'holds a date',
      'datetime.date',
      '80049520000000000000008c086461746574696d65948c0464617465949394430407e4010194859452942e',
    ],
    ['holds bytes', 'SHORT_BINBYTES', '8004950500000000000000430178942e'],
    ['holds a bytearray', 'BYTEARRAY8', '8005950c0000000000000096010000000000000078942e'],
    ['has an opcode that Python does not', '0xff', '8004ff2e'],
    ['has the opcode for a persistent id', 'BINPERSID', '80044b01512e'],
    ['builds an object', 'BUILD', '80047d7d622e'],
  ];
  it.each(cases)('%s, by its name', (_what, named, hex) => {
    expect(() => read(hex)).toThrow(expect.objectContaining({ code: 'data', path: 'file.pkl' }));
    expect(() => read(hex)).toThrow(named);
  });

  it.each([
    ['names protocol 0', '4931320a2e', 'expected protocol 2 to 5'],
    ['names protocol 6', '80064b012e', 'expected protocol 2 to 5, got 6'],
    ['takes from an empty stack', '80042e', 'on the stack'],
    ['takes below its mark', '80044b01282e', 'on the stack'],
    ['ends a tuple that never began', '8004742e', 'expected a mark'],
    ['recalls what was never kept', '800468052e', 'place 5 of the memo'],
    ['adds to a number', '80044b01284b02652e', 'expected a list'],
    ['sets items of a list', '80045d4b014b02732e', 'expected a dict'],
    ['calls a number', '80044b0129522e', 'another call'],
    ['makes a set of a number', '8004636275696c74696e730a7365740a4b0185522e', 'the class set'],
    ['has text that is not UTF-8', '80048c01ff2e', 'UTF-8'],
  ])('%s', (_what, hex, message) => {
    expect(() => read(hex)).toThrow(message);
  });
});

describe('a pickle', () => {
  it('of Python 2 has its names as bytes', () => {
    expect(read('8002550361626371002e')).toBe('abc');
  });

  it('with a replacement character in it is read as it stands', () => {
    expect(read('80048c03efbfbd2e')).toBe('\uFFFD');
  });
});

describe('a small pickle that would become large or take for ever is refused, or read at once:', () => {
  const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
    Buffer.concat([Buffer.from([0x80, 4]), ...parts.map((part) => Buffer.from(part as string, 'latin1'))]);
  const seconds = (work: () => void): number => {
    // Of the processor: a busy machine is no failure.
    const start = process.cpuUsage();
    work();
    return process.cpuUsage(start).user / 1e6;
  };
  const refused = (content: Buffer, message: string): void => {
    const took = seconds(() => {
      expect(() => unpickle(content, 'file.pkl')).toThrow(
        expect.objectContaining({
          code: 'data',
          path: 'file.pkl',
          message: expect.stringContaining(message),
        }),
      );
    });
    expect(took).toBeLessThan(5);
  };
  const long = (length: number): number[] => [0x8b, ...Buffer.from(Uint32Array.of(length).buffer)];

  it('a number of half a megabyte, or beyond 2^53', () => {
    refused(
      bytes(long(500_000), 'x'.repeat(500_000), '.'),
      'whole numbers of at most 2^53, got one of 500000',
    );
    refused(bytes(long(8), '\xff\xff\xff\xff\xff\xff\xff\x7f', '.'), 'whole numbers of at most 2^53');
    expect(unpickle(bytes(long(7), '\0\0\0\0\0\0\x10', '.'), 'file.pkl')).toBe(2 ** 52);
  });

  it('a set to which items are added one at a time', () => {
    let items = 0;
    const took = seconds(() => {
      const set = unpickle(bytes([0x8f], '(K\x01\x90'.repeat(200_000), '.'), 'file.pkl');
      items = set instanceof PickleSet ? set.items.length : 0;
    });
    expect(items).toBe(200_000);
    expect(took).toBeLessThan(5);
  });

  it('a list that becomes a set again and again', () => {
    const build = `](${'N'.repeat(50_000)}e\x940`;
    const again = 'cbuiltins\nset\nh\0\x85R';
    expect(unpickle(bytes(build, again, '.'), 'file.pkl')).toBeInstanceOf(PickleSet);
    refused(bytes(build, again.repeat(50_000), '.'), 'each list to become one set');
  });

  it('a place of the memo that is far away, a text of gigabytes', () => {
    refused(bytes('Nr\xff\xff\xff\xfe.'), 'places of the memo in order');
    refused(bytes([0x8d, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 'x.'), 'the end of the file');
    refused(bytes('X\0\0\x20\0', 'x'.repeat(2 ** 21), '.'), 'texts of at most 1048576 bytes');
  });
});
