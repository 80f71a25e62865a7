import { FuzzError } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { checkOnnx, emitSwitchModel, type OnnxModel } from '../index.ts';
import { sampleSwitch } from '../testing/sample-switch.ts';

type Loose = { [key: string]: Loose } & Loose[];
const set = (object: Loose | undefined, key: string | number, value: unknown): void => {
  (object as unknown as Record<string | number, unknown>)[key] = value;
};
const node = (graph: Loose, opType: string): Loose =>
  [...graph['node']!].find((each) => (each['opType'] as unknown) === opType)!;
/** A branch of a graph's choice: `else` is the lower half of the cases. */
const branch = (graph: Loose, which: 'else' | 'then'): Loose =>
  node(graph, 'If')['attribute']![which === 'else' ? 0 : 1]!['g']!;
/** The case `rows`. */
const rows = (graph: Loose): Loose => branch(branch(graph, 'else'), 'else');
/** The case `thrice`, which has a number of its own. */
const thrice = (graph: Loose): Loose => branch(branch(branch(graph, 'then'), 'then'), 'then');

function changed(change: (graph: Loose) => void): OnnxModel {
  const copy = structuredClone(emitSwitchModel(sampleSwitch)) as unknown as Loose;
  change(copy['graph']!);
  return copy as unknown as OnnxModel;
}

describe('graphs inside a graph', () => {
  it('are accepted as they are emitted', () => {
    checkOnnx(changed(() => undefined));
  });

  it.each<[string, RegExp, (graph: Loose) => void]>([
    [
      'a value that no scope has, and the way to it is named',
      /node "rows\.\.thrice" \(If\), graph "rows\.\.given", node "rows\.\.given" \(If\), graph "rows", node "rows\/y" .* "q" is produced by nobody/,
      (g) => set(node(rows(g), 'Gather')['input'], 0, 'q'),
    ],
    [
      'a value of a sibling',
      /"exp\/y" is produced by nobody/,
      (g) => set(node(rows(g), 'Gather')['input'], 1, 'exp/y'),
    ],
    [
      'a value that the outer graph has only later',
      /"add" is produced by nobody/,
      (g) => set(node(rows(g), 'Gather')['input'], 0, 'add'),
    ],
    [
      'a captured value of the wrong kind',
      /graph "rows", node .* input "x" is float, expected int32 or int64/,
      (g) => set(node(rows(g), 'Gather')['input'], 1, 'x'),
    ],
    [
      'a name that the outer graph has',
      /graph "rows", .*the value "x" exists already/,
      (g) => set(node(rows(g), 'Gather')['output'], 0, 'x'),
    ],
    [
      'an output that the branch only captured',
      /graph "rows", output "x": it is produced by nobody/,
      (g) => set(rows(g)['output']![0], 'name', 'x'),
    ],
    ['a branch with inputs', /a branch has no inputs/, (g) => set(rows(g), 'input', rows(g)['output'])],
    ['a branch without outputs', /graph: it has no outputs/, (g) => set(rows(g), 'output', [])],
    ['a branch without a name', /it has no name/, (g) => set(rows(g), 'name', '')],
    [
      'damaged numbers inside a branch',
      /graph "thrice", initializer .* takes 4 bytes, got 3/,
      (g) => set(thrice(g)['initializer']![0], 'rawData', new Uint8Array(3)),
    ],
    [
      'a node with more outputs than its branches',
      /it has 2 outputs, a branch has 1/,
      (g) => set(node(g, 'If'), 'output', ['y', 'y2']),
    ],
    [
      'branches that give different kinds',
      /its branches give int32 and float/,
      (g) => {
        const lower = branch(g, 'else');
        const inner = node(lower, 'If');
        for (const graph of [branch(lower, 'else'), branch(lower, 'then')]) {
          set(graph, 'node', [
            {
              ...node(changedIdentity(), 'Identity'),
              output: [`${graph['name']}/y`],
              name: `${graph['name']}/i`,
            },
          ]);
          set(graph, 'valueInfo', []);
          set(graph['output']![0]!['type']!['tensorType'], 'elemType', 6);
        }
        set(lower['output']![0]!['type']!['tensorType'], 'elemType', 6);
        set(inner, 'name', 'lower');
      },
    ],
    [
      'a missing branch',
      /"then_branch" is missing/,
      (g) => set(node(g, 'If'), 'attribute', [node(g, 'If')['attribute']![0]]),
    ],
    [
      'a condition that is no truth value',
      /\(If\): input "which" is int32, expected bool/,
      (g) => set(node(g, 'If'), 'input', ['which']),
    ],
    [
      'a node name twice in one branch',
      /graph "thrice", node "thrice\/neg": it occurs twice/,
      (g) => set(node(thrice(g), 'Mul'), 'name', 'thrice/neg'),
    ],
  ])('are refused with %s', (_, message, change) => {
    let refusal: unknown;
    try {
      checkOnnx(changed(change));
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(FuzzError);
    expect((refusal as FuzzError).code).toBe('bundle');
    expect((refusal as FuzzError).toString()).toMatch(message);
  });

  /** A graph whose only node hands on ids. */
  function changedIdentity(): Loose {
    return {
      node: [{ input: ['ids'], output: ['i'], name: 'i', opType: 'Identity', attribute: [] }],
    } as unknown as Loose;
  }
});
