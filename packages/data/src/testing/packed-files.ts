interface PackedText {
  readonly text: Buffer;
  readonly more: Buffer;
  readonly bomb: Buffer;
}

/** Text that was packed by other programs: bzip2 1.0.8 and zstd 1.5, since Node 20 packs neither. */
export const packedTexts: {
  readonly text: string;
  readonly more: string;
  readonly bz2: PackedText;
  readonly zst: PackedText;
} = {
  text: 'a\tr\tb\nb\tr\tc\n',
  more: 'c\tr\td\n',
  bz2: {
    text: bytes('QlpoOTFBWSZTWRZLt8sAAANBgAAwOAAQACAAIShp6DAEnuohRdyRThQkBZLt8sA='),
    more: bytes('QlpoOTFBWSZTWSx8GJEAAAHBgAAwDAAQACAAMM0AwaGAXF3JFOFCQLHwYkQ='),
    /** Eighty MiB of line feeds. */
    bomb: bytes(
      'QlpoOTFBWSZTWStxu3EBX45AAIAQAAggADCATUZCoCWpCoCXMUFZJlNZZmhQcQEi9kAAoBAACCAAMMwFKacYSqQjYEqkI8XckU4UJAwiyaTA',
    ),
  },
  zst: {
    text: bytes('KLUv/SQMYQAAYQlyCWIKYglyCWMKOYxCIg=='),
    more: bytes('KLUv/SQGMQAAYwlyCWQKROx21g=='),
    /** Eighty MiB of line feeds, in blocks of 128 KiB of one byte. Source: RFC 8878, 3.1.1. */
    bomb: Buffer.concat([
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]),
      ...Array.from({ length: 640 }, (_, i) => {
        const block = Buffer.alloc(4, 0x0a);
        block.writeUIntLE((i === 639 ? 1 : 0) + 2 + 8 * 2 ** 17, 0, 3);
        return block;
      }),
    ]),
  },
};

function bytes(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
