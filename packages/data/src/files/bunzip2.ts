/** Thrown where a block goes on beyond the bytes that have come. */
const short = new Error('cut short');

/** A block before its bytes are put in order. */
interface PackedBlock {
  readonly crc: number;
  /** Of each place in the sorted order: its byte, and above it the place of the byte that follows. */
  readonly places: Uint32Array;
  readonly first: number;
}

/**
 * Unpacks bzip2, block by block; several streams are one text.
 *
 * Memory: 4 MB and what comes at once. Every loop is bounded by the sizes that the format allows.
 * Source: J. Seward's bzip2 1.0, as its format is described by J. Tsai (Bzip2 format specification, 2016).
 *
 * @throws Error: a stream that is cut short, damaged, or differs from its CRC.
 */
export async function* bunzip2(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes: Buffer = Buffer.alloc(0);
  /** The next byte, and bits that were taken out of earlier ones and not read. */
  let [at, held, count] = [0, 0, 0];
  let [level, combined, wanted] = [0, 0, 0];
  let shared = new Uint32Array(0);

  const read = (bits: number): number => {
    while (count < bits) {
      if (at === bytes.length) throw short;
      held = (held << 8) | bytes[at++]!;
      count += 8;
    }
    count -= bits;
    return (held >>> count) & ((1 << bits) - 1);
  };
  const readWord = (): number => ((read(16) << 16) | read(16)) >>> 0;

  /** A block; nothing for a header or the end of a stream. */
  const readPart = (): PackedBlock | undefined => {
    if (level === 0) {
      if (read(24) !== 0x425a68) throw damaged();
      const digit = read(8) - 0x30;
      if (digit < 1 || digit > 9) throw damaged();
      [level, combined] = [digit, 0];
      return undefined;
    }
    const magic = read(24) * 2 ** 24 + read(24);
    const crc = readWord();
    if (magic === 0x177245385090) {
      if (crc !== combined) throw damaged();
      count -= count % 8;
      level = 0;
      return undefined;
    }
    // The bit says that bytes were shuffled, which no version since 0.9.5 does.
    if (magic !== 0x314159265359 || read(1) === 1) throw damaged();
    const most = 100_000 * level;
    // One for all blocks: small streams may follow one another by the thousand.
    if (shared.length < most) shared = new Uint32Array(most);
    const block = { crc, ...readPlaces(read, shared, most) };
    combined = (((combined << 1) | (combined >>> 31)) ^ crc) >>> 0;
    return block;
  };

  const decode = function* (isLast: boolean): Generator<Buffer> {
    for (;;) {
      if (level === 0 && count === 0 && at === bytes.length) return;
      const [atBefore, heldBefore, countBefore] = [at, held, count];
      let block: PackedBlock | undefined;
      try {
        block = readPart();
      } catch (error) {
        if (error !== short || isLast) throw error;
        [at, held, count] = [atBefore, heldBefore, countBefore];
        // It is read again from its beginning: only when as much has come.
        wanted = 2 * (bytes.length - at);
        return;
      }
      if (block !== undefined) yield* contentOf(block);
    }
  };

  for await (const more of packed) {
    bytes = Buffer.concat([bytes.subarray(at), more]);
    at = 0;
    if (bytes.length >= wanted) yield* decode(false);
  }
  yield* decode(true);
}

function damaged(): Error {
  return new Error('damaged');
}

/** The symbols of a block: Huffman codes of runs and of places in a list whose used byte moves to the front. */
function readPlaces(
  read: (bits: number) => number,
  bytes: Uint32Array,
  most: number,
): Omit<PackedBlock, 'crc'> {
  const first = read(24);
  const front: number[] = [];
  const used = read(16);
  for (let row = 0; row < 16; row++) {
    if ((used & (0x8000 >>> row)) === 0) continue;
    const columns = read(16);
    for (let column = 0; column < 16; column++)
      if ((columns & (0x8000 >>> column)) !== 0) front.push(16 * row + column);
  }
  const [tableCount, groupCount] = [read(3), read(15)];
  if (front.length === 0 || tableCount < 2 || tableCount > 6 || groupCount === 0) throw damaged();
  const order = Array.from({ length: tableCount }, (_, i) => i);
  const groups = new Uint8Array(groupCount);
  for (let group = 0; group < groupCount; group++) {
    let place = 0;
    while (read(1) === 1) if (++place >= tableCount) throw damaged();
    order.unshift(...order.splice(place, 1));
    groups[group] = order[0]!;
  }
  const symbols = front.length + 2;
  const tables = order.map(() => readTable(read, symbols));

  const counts = new Int32Array(256);
  let [length, run, weight] = [0, 0, 1];
  const putRun = (): void => {
    if (length + run > most) throw damaged();
    bytes.fill(front[0]!, length, length + run);
    counts[front[0]!]! += run;
    length += run;
    [run, weight] = [0, 1];
  };
  reading: for (let group = 0; ; group++) {
    if (group === groupCount) throw damaged();
    const { limits, offsets, sorted } = tables[groups[group]!]!;
    for (let i = 0; i < 50; i++) {
      let bits = 1;
      let code = read(1);
      while (code > limits[bits]!) {
        if (++bits > 20) throw damaged();
        code = (code << 1) | read(1);
      }
      const symbol = sorted[code + offsets[bits]!];
      if (symbol === undefined) throw damaged();
      if (symbol <= 1) {
        run += weight << symbol;
        weight <<= 1;
        if (run > most) throw damaged();
        continue;
      }
      if (run > 0) putRun();
      if (symbol === symbols - 1) break reading;
      const byte = front[symbol - 1]!;
      for (let place = symbol - 1; place > 0; place--) front[place] = front[place - 1]!;
      front[0] = byte;
      if (length === most) throw damaged();
      bytes[length++] = byte;
      counts[byte]!++;
    }
  }
  if (first >= length) throw damaged();

  // The inverse of the transform of Burrows and Wheeler: the n-th of a byte is followed by the n-th that it was sorted to.
  let sum = 0;
  for (let byte = 0; byte < 256; byte++) {
    const many = counts[byte]!;
    counts[byte] = sum;
    sum += many;
  }
  for (let place = 0; place < length; place++) bytes[counts[bytes[place]! & 0xff]!++]! |= place << 8;
  return { places: bytes.subarray(0, length), first };
}

/** Codes by their length in bits: the largest, and what to add for the place among the sorted symbols. */
interface CodeTable {
  readonly limits: Int32Array;
  readonly offsets: Int32Array;
  readonly sorted: readonly number[];
}

function readTable(read: (bits: number) => number, symbols: number): CodeTable {
  const lengths = new Uint8Array(symbols);
  let bits = read(5);
  for (let symbol = 0; symbol < symbols; symbol++) {
    for (;;) {
      if (bits < 1 || bits > 20) throw damaged();
      if (read(1) === 0) break;
      bits += read(1) === 0 ? 1 : -1;
    }
    lengths[symbol] = bits;
  }
  const [limits, offsets] = [new Int32Array(21), new Int32Array(21)];
  const sorted: number[] = [];
  for (let length = 1, code = 0; length <= 20; length++, code <<= 1) {
    offsets[length] = sorted.length - code;
    for (let symbol = 0; symbol < symbols; symbol++)
      if (lengths[symbol] === length) {
        sorted.push(symbol);
        code++;
      }
    limits[length] = code - 1;
  }
  return { limits, offsets, sorted };
}

const mostOfPiece = 1 << 18;

/** The bytes of a block in their order, with four equal ones and a number written out. */
function* contentOf({ crc: expected, places, first }: PackedBlock): Generator<Buffer> {
  // At least what four bytes and a number may become.
  const pieceBytes = Math.min(mostOfPiece, 512 + places.length);
  let piece = Buffer.alloc(pieceBytes);
  let [to, crc, last, same] = [0, -1, -1, 0];
  let place = places[first]! >>> 8;
  for (let i = 0; i < places.length; i++) {
    const entry = places[place]!;
    const byte = entry & 0xff;
    place = entry >>> 8;
    let copies = 1;
    let written = byte;
    if (same === 4) {
      [copies, written, same, last] = [byte, last, 0, -1];
    } else if (byte === last) same++;
    else [same, last] = [1, byte];
    if (to + copies > pieceBytes) {
      yield piece.subarray(0, to);
      piece = Buffer.alloc(pieceBytes);
      to = 0;
    }
    for (let copy = 0; copy < copies; copy++) {
      piece[to++] = written;
      crc = (crc << 8) ^ crcTable[((crc >>> 24) ^ written) & 0xff]!;
    }
  }
  if (~crc >>> 0 !== expected) throw damaged();
  if (to > 0) yield piece.subarray(0, to);
}

/** Of the CRC-32 whose highest bit comes first: polynomial 0x04C11DB7. */
const crcTable: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0);
  return crc;
});
