import { crc32, deflateRawSync } from 'node:zlib';

/** A zip archive with the given files, compressed or as they are, for tests. Source: PKWARE, APPNOTE.TXT. */
export function writeZip(
  files: ReadonlyMap<string, string | Uint8Array>,
  method: 'deflated' | 'stored' = 'deflated',
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const bytes = Buffer.from(content);
    const packed = method === 'stored' ? bytes : deflateRawSync(bytes);
    const name = Buffer.from(path);
    // What the local header and the central directory have in common: version, flags, deflate, time, sizes.
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(method === 'stored' ? 0 : 8, 4);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(bytes.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), shared, end, name);
    const local = [Buffer.from('PK\x03\x04', 'latin1'), shared, name, packed];
    parts.push(...local);
    offset += local.reduce((sum, part) => sum + part.length, 0);
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const last = Buffer.alloc(22);
  last.write('PK\x05\x06', 'latin1');
  last.writeUInt16LE(files.size, 8);
  last.writeUInt16LE(files.size, 10);
  last.writeUInt32LE(size, 12);
  last.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, last]);
}
