import type { OnnxModel } from '../index.ts';

const tensor = { dims: [2, -1], dataType: 1, name: 't', rawData: Uint8Array.of(1, 2, 3), externalData: [] };
/** A model with something in every kind of field, though it computes nothing: for what reads and writes files. */
export const everyField: OnnxModel = {
  irVersion: 10,
  producerName: 'größe ∧ ∨',
  modelVersion: Number.MAX_SAFE_INTEGER,
  opsetImport: [{ domain: '', version: 21 }],
  metadataProps: [{ key: 'k', value: 'v' }],
  graph: {
    name: 'g',
    node: [
      {
        input: ['a', ''],
        output: ['b'],
        name: 'n',
        opType: 'If',
        attribute: [
          { name: 'i', i: -1, floats: [], ints: [], type: 2 },
          { name: 'f', f: 0.5, floats: [0.25, -2], ints: [-1, 2 ** 40], type: 1 },
          { name: 's', s: Uint8Array.of(97), floats: [], ints: [], type: 3 },
          { name: 't', t: tensor, floats: [], ints: [], type: 4 },
          {
            name: 'g',
            g: { name: 'inner', node: [], initializer: [tensor], input: [], output: [], valueInfo: [] },
            floats: [],
            ints: [],
            type: 5,
          },
        ],
      },
    ],
    initializer: [],
    input: [
      {
        name: 'a',
        type: { tensorType: { elemType: 1, shape: { dim: [{ dimValue: 0 }, { dimParam: 'n' }] } } },
      },
    ],
    output: [],
    valueInfo: [],
  },
};
