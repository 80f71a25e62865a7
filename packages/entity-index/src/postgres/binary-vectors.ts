/** A vector as pgvector receives it: its dimension, a reserved field, and numbers of 4 bytes, all with the highest byte first. */
export function binaryVector(row: Float32Array): Buffer {
  const bytes = Buffer.alloc(4 + 4 * row.length);
  writeVector(bytes, 0, row);
  return bytes;
}

/** Some vectors as PostgreSQL receives an array: dimensions, no nulls, the type's id, the length, the first place, then each with its size. */
export function binaryVectors(rows: readonly Float32Array[], type: number): Buffer {
  const size = 4 + 4 * (rows[0]?.length ?? 0);
  const bytes = Buffer.alloc(20 + rows.length * (4 + size));
  [1, 0, type, rows.length, 1].forEach((field, i) => {
    bytes.writeUInt32BE(field, 4 * i);
  });
  rows.forEach((row, i) => {
    const at = 20 + i * (4 + size);
    bytes.writeUInt32BE(size, at);
    writeVector(bytes, at + 4, row);
  });
  return bytes;
}

function writeVector(bytes: Buffer, at: number, row: Float32Array): void {
  bytes.writeUInt16BE(row.length, at);
  for (let i = 0; i < row.length; i += 1) bytes.writeFloatBE(row[i]!, at + 4 + 4 * i);
}
