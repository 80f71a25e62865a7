import { setImmediate } from 'node:timers/promises';
import { expectOptions, FuzzError, type KnowledgeGraph, type Random } from '@fuzzqe/core';
import type { AnsweredPattern } from './answered-pattern.ts';
import { isRedundant, patternName, returns } from './pattern-rules.ts';
import { atomsOf, fillPattern, type PatternAtom, type PatternType } from './pattern-type.ts';
import { createPatternWalk } from './pattern-walk.ts';
import { recordedAnswers } from './recorded-answers.ts';

/** Which patterns to sample. */
export interface SamplePatternsOptions {
  readonly type: PatternType;
  /** How many patterns to find. */
  readonly count: number;
  /** What is known: its answers are easy, and every pattern has an answer that is not. */
  readonly smaller: KnowledgeGraph;
  /** Where patterns are drawn and answered. */
  readonly larger: KnowledgeGraph;
  readonly random: Random;
  /** The most hard answers that a pattern may have. Default 100. */
  readonly maxAnswers?: number;
  /** Stop after so many draws in a row that gave no new pattern. Default 200 000: most walks find no second link between two entities. */
  readonly patience?: number;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** A draw whose answers need more edges is thrown away: some tens of milliseconds. */
const mostEdges = 1e6;
/** Some tens of seconds of draws that gave nothing. */
const mostIdleEdges = 1e9;
const drawsAtOnce = 256;

/**
 * Samples distinct patterns of one type with their exact easy and hard answers.
 *
 * An entity with an edge is drawn and the slots are filled by a walk backwards from the entity. A pattern is kept if
 *  1. no link follows from the others, contradicts a negation, or is followed by its inverse;
 *  2. it has a hard answer, and at most `maxAnswers`;
 *  3. each negation changes its answers;
 *  4. it is new, up to the order of its links and the names of its variables.
 *
 * Gives fewer than `count` patterns when `patience` runs out. The result depends on the graphs, the options and the seed alone.
 *
 * @throws FuzzError `range`: a number that is no positive integer. `interrupted`: the signal was raised.
 * @example
 * const { trainValid, full } = dataset.graphs();
 * const random = createRandom('my run');
 * const type = patternType('3c', '?x : r1(a, ?y), r2(?y, ?x), r3(b, ?z), r4(?z, ?x), r5(?y, ?z)');
 * const cycles = await samplePatterns({ type, count: 250, smaller: trainValid, larger: full, random });
 */
export async function samplePatterns(options: SamplePatternsOptions): Promise<AnsweredPattern[]> {
  expectOptions('samplePatterns', options, ['type', 'smaller', 'larger', 'random']);
  const { type, count, smaller, larger, random, maxAnswers = 100, patience = 200_000 } = options;
  const { onProgress = () => {}, signal } = options;
  for (const [name, value] of Object.entries({ count, maxAnswers, patience }))
    if (!Number.isInteger(value) || value < 1)
      throw new FuzzError('range', `${name}: expected an integer >= 1, got ${value}`, { path: name });
  const walk = createPatternWalk(larger, type, random);
  const targets = Array.from({ length: larger.entityCount }, (_, id) => id).filter(
    (id) => larger.degree(id) > 0,
  );
  const variables = type.variables.length;
  const names = new Set<string>();
  const patterns: AnsweredPattern[] = [];
  const answer = createAnswers(smaller, larger, maxAnswers);
  let idle = 0;
  let edgesBefore = 0;
  for (let draw = 0; patterns.length < count && idle < patience; draw += 1, idle += 1) {
    if (draw % drawsAtOnce === 0) {
      onProgress(patterns.length, count);
      await setImmediate();
      if (signal?.aborted)
        throw new FuzzError(
          'interrupted',
          `sampling ${type.name}: stopped at ${patterns.length} of ${count} patterns`,
        );
    }
    if (answer.edges - edgesBefore > mostIdleEdges) break;
    if (!walk.from(targets[random.below(targets.length)]!)) continue;
    const pattern = fillPattern(type, walk.anchors, walk.relations);
    const atoms = atomsOf(pattern);
    if (isRedundant(atoms, variables) || returns(atoms)) continue;
    const name = patternName(atoms, variables);
    if (names.has(name)) continue;
    const found = answer.of(atoms);
    if (found === undefined) continue;
    names.add(name);
    patterns.push({ type: type.name, pattern, ...found });
    [idle, edgesBefore] = [-1, answer.edges];
  }
  onProgress(patterns.length, count);
  return patterns;
}

interface EasyAndHard {
  readonly easy: Int32Array;
  readonly hard: Int32Array;
}

/** Answers on both graphs, where rules 2 and 3 hold. */
function createAnswers(
  smaller: KnowledgeGraph,
  larger: KnowledgeGraph,
  maxAnswers: number,
): { readonly edges: number; of(atoms: readonly PatternAtom[]): EasyAndHard | undefined } {
  let edges = 0;
  const answersOn = (graph: KnowledgeGraph, atoms: readonly PatternAtom[]): Int32Array | undefined => {
    const found = recordedAnswers(graph, atoms, mostEdges);
    edges += found.edges;
    return found.answers;
  };
  const changesAnswers = (atoms: readonly PatternAtom[], negation: PatternAtom, all: Int32Array): boolean => {
    const others = atoms.filter((atom) => atom !== negation);
    return answersOn(larger, others)?.length !== all.length;
  };
  return {
    get edges() {
      return edges;
    },
    of(atoms) {
      const all = answersOn(larger, atoms);
      if (all === undefined || all.length === 0) return undefined;
      const easy = answersOn(smaller, atoms);
      if (easy === undefined) return undefined;
      const known = new Set(easy);
      const hard = all.filter((id) => !known.has(id));
      if (hard.length === 0 || hard.length > maxAnswers) return undefined;
      const negations = atoms.filter(({ negated }) => negated);
      return negations.every((negation) => changesAnswers(atoms, negation, all)) ? { easy, hard } : undefined;
    },
  };
}
