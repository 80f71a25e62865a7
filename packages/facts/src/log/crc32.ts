/** Tables for eight bytes at a time: entry 256 k + b is the remainder of byte b followed by k zero bytes. */
const tables: Uint32Array = makeTables();

/**
 * CRC-32 as in gzip and PNG (ISO 3309): polynomial 0x04C11DB7, reflected, started at and ended with all ones.
 *
 * @param before the result for the bytes before these.
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  const t = tables;
  let crc = ~before;
  let at = 0;
  for (const whole = bytes.length - 7; at < whole; at += 8) {
    const low = crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    crc =
      t[0x700 | (low & 255)]! ^
      t[0x600 | ((low >>> 8) & 255)]! ^
      t[0x500 | ((low >>> 16) & 255)]! ^
      t[0x400 | (low >>> 24)]! ^
      t[0x300 | bytes[at + 4]!]! ^
      t[0x200 | bytes[at + 5]!]! ^
      t[0x100 | bytes[at + 6]!]! ^
      t[bytes[at + 7]!]!;
  }
  for (; at < bytes.length; at += 1) crc = t[(crc ^ bytes[at]!) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

function makeTables(): Uint32Array {
  const made = new Uint32Array(8 * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
    made[byte] = crc;
  }
  for (let at = 256; at < made.length; at += 1) {
    const shorter = made[at - 256]!;
    made[at] = made[shorter & 255]! ^ (shorter >>> 8);
  }
  return made;
}
