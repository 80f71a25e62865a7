/** The reversed polynomial of CRC-32C (Castagnoli). */
const polynomial = 0x82f63b78;

const table: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0);
  return crc;
});

/** CRC-32C of bytes. Source: RFC 3720, appendix B.4. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ table[(crc ^ byte) & 0xff]!;
  return ~crc >>> 0;
}

/**
 * CRC-32C as TFRecord files hold it: `rotate(crc, 15) + 0xa282ead8`.
 *
 * Source: TensorFlow, `tensorflow/core/lib/hash/crc32c.h`.
 */
function maskedCrc32c(bytes: Uint8Array): number {
  const crc = crc32c(bytes);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/**
 * One record of a TFRecord file: length (8 bytes), its checksum, the data, their checksum.
 *
 * Source: the TFRecord format, tensorflow.org, "TFRecord and tf.train.Example".
 */
export function tfRecord(data: Uint8Array): Uint8Array {
  const record = new Uint8Array(16 + data.length);
  const view = new DataView(record.buffer);
  view.setBigUint64(0, BigInt(data.length), true);
  view.setUint32(8, maskedCrc32c(record.subarray(0, 8)), true);
  record.set(data, 12);
  view.setUint32(12 + data.length, maskedCrc32c(data), true);
  return record;
}
