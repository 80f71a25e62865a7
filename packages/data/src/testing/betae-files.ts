import { type Picklable, writePickle } from './write-pickle.ts';

const path = ['e', ['r']] as const;

/** The files of a small graph in the BetaE layout: 0 -r0-> 1, 1 -r0-> 2, 2 -r1-> 3, and 0 -r0-> 2 to find out. */
export function betaEFiles(): Map<string, string | Uint8Array> {
  const answers = (...entries: readonly (readonly [Picklable, readonly number[]])[]): Buffer =>
    writePickle(new Map(entries.map(([query, ids]) => [query, new Set(ids)])));
  return new Map<string, string | Uint8Array>([
    ['stats.txt', 'numentity: 4\nnumrelations: 4\n'],
    ['id2ent.pkl', writePickle(new Map([0, 1, 2, 3].map((id) => [id, `/m/${id}`])))],
    [
      'rel2id.pkl',
      writePickle(
        new Map([
          ['+/to', 0],
          ['-/to', 1],
          ['+/of', 2],
          ['-/of', 3],
        ]),
      ),
    ],
    ['train.txt', '0\t0\t1\n1\t1\t0\n1\t0\t2\n2\t1\t1\n2\t2\t3\n3\t3\t2\n'],
    ['valid.txt', '0\t0\t2\n2\t1\t0\n'],
    [
      'train-queries.pkl',
      writePickle(
        new Map<Picklable, Picklable>([
          [path, new Set<Picklable>([[0, [0]]])],
          [['e', ['r', 'r']], new Set<Picklable>([[0, [0, 0]]])],
        ]),
      ),
    ],
    ['train-answers.pkl', answers([[0, [0]], [1]], [[0, [0, 0]], [2]])],
    [
      'valid-queries.pkl',
      writePickle(
        new Map<Picklable, Picklable>([
          [path, new Set<Picklable>([[0, [0]]])],
          [[path, path, ['u']], new Set<Picklable>([[[0, [0]], [3, [3]], [-1]]])],
          [
            [
              [
                ['e', ['r', 'n']],
                ['e', ['r', 'n']],
              ],
              ['n'],
            ],
            new Set<Picklable>([
              [
                [
                  [0, [0, -2]],
                  [3, [3, -2]],
                ],
                [-2],
              ],
            ]),
          ],
        ]),
      ),
    ],
    [
      'valid-easy-answers.pkl',
      answers(
        [[0, [0]], [1]],
        [
          [[0, [0]], [3, [3]], [-1]],
          [1, 2],
        ],
      ),
    ],
    ['valid-hard-answers.pkl', answers([[0, [0]], [2]], [[[0, [0]], [3, [3]], [-1]], []])],
  ]);
}
