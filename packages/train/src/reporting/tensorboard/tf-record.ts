import { maskedCrc32c } from './crc32c.ts';

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
