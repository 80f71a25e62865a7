import type { StructureInfo } from '@fuzzqe/api';
import type { StructureName } from '@fuzzqe/core/query';

/** A question over the facts of a bundle that a page offers. */
export interface ExampleQuestion {
  readonly structure: StructureName;
  /** What kind of question it is. */
  readonly title: string;
  /** In the text notation. */
  readonly text: string;
}

const titles: Readonly<Record<StructureName, string>> = {
  '2in': 'This, and not that',
  pi: 'Two steps, and one',
  '2u': 'One or the other',
  ip: 'A step from what both have',
  '1p': 'One step',
  '2p': 'Two steps',
  '3p': 'Three steps',
  '2i': 'Two conditions',
  '3i': 'Three conditions',
  up: 'A step from either',
  '3in': 'Two conditions, and not a third',
  inp: 'A step from this and not that',
  pin: 'Two steps, and not one',
  pni: 'One step, and not two',
};

/** The examples of a bundle, as `GET /v1/structures` gives them, the liveliest first; each text once. */
export function exampleQuestions(
  structures: readonly Pick<StructureInfo, 'name' | 'example'>[],
): readonly ExampleQuestion[] {
  // The order of the titles is that of the examples.
  const names = Object.keys(titles);
  return structures
    .toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
    .map(({ name, example }) => ({ structure: name, title: titles[name], text: example }))
    .filter(({ text }, i, all) => all.findIndex((each) => each.text === text) === i);
}
