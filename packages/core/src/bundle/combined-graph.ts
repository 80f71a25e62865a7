import type { ModelConfig } from '../model/config.ts';
import { fieldsPerTerm, termsPerValue } from '../query/plan-program.ts';
import { type StructureName, structureNames } from '../query/structures.ts';
import type { Dim, DType } from '../tensor/shape.ts';
import { type OperatorName, operatorNames, type TensorSignature } from './manifest.ts';
import { edgeSlots, type GraphSignature } from './signatures.ts';

/** The graphs beside structures and operators that a combined graph has. */
const ownCases = ['program', 'rank', 'links', 'projectSet', 'projectSetAt'] as const;

/** A graph of a profile that is a case of a combined graph; all are but the edge graph, which chooses among structures. */
export type CombinedCase = StructureName | OperatorName | (typeof ownCases)[number];

/** The cases of a combined graph, by the number that chooses them. */
export const combinedCases: readonly string[] = [...structureNames, ...operatorNames, ...ownCases];

const tensor = (name: string, dtype: DType, ...shape: readonly Dim[]): TensorSignature => ({
  name,
  dtype,
  shape,
});

/**
 * The signature of a combined graph: each input is there for the cases that name it in `combinedNames`, and any value of its
 * form does for the others. A case that gives no `best` gives a zero there.
 */
export function combinedSignature({ dimension, entities }: ModelConfig): GraphSignature {
  return {
    inputs: [
      tensor('case', 'int', 1),
      tensor('anchors', 'int', 'rows', edgeSlots),
      tensor('relations', 'int', 'rows', edgeSlots),
      tensor('left', 'float', 'rows', dimension),
      tensor('right', 'float', 'rows', dimension),
      tensor('heads', 'int', 'rows'),
      tensor('along', 'int', 'rows'),
      tensor('number', 'int', 1),
      tensor('offsets', 'float', 'rows'),
      tensor('membership', 'float', 'rows'),
      tensor('calibration', 'float', 3),
      tensor('allowed', 'float', 'rows', entities),
      tensor('recorded', 'float', 3, entities),
      tensor('recordedAt', 'float', 3, 'candidates'),
      tensor('candidates', 'int', 'candidates'),
      ...(['second', 'third'] as const).flatMap((level) => [
        tensor(`${level}Terms`, 'int', level, termsPerValue, fieldsPerTerm),
        tensor(`${level}Relations`, 'int', level),
      ]),
      tensor('answerTerms', 'int', 'rows', termsPerValue, fieldsPerTerm),
    ],
    outputs: [tensor('numbers', 'float', 'rows', 'columns'), tensor('best', 'int', 'rows', 'k')],
  };
}

/** How inputs and outputs of a graph are called where it is a case of a combined one. */
export interface CaseNames {
  readonly inputs: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
}

const embedding = { embedding: 'numbers' };
const slots = { anchors: 'anchors', relations: 'relations' };
const structure: CaseNames = { inputs: slots, outputs: embedding };
const pair: CaseNames = { inputs: { left: 'left', right: 'right' }, outputs: embedding };
const ofMembers = {
  heads: 'heads',
  relation: 'number',
  offsets: 'offsets',
  membership: 'membership',
  calibration: 'calibration',
};

/**
 * Of every graph of a combined profile; the edge graph chooses the case by its structure. Rows of a structure are filled up
 * with zeros.
 */
export const combinedNames: Readonly<Record<CombinedCase | 'edge', CaseNames>> = {
  edge: {
    inputs: { structure: 'case', ...slots },
    outputs: embedding,
  },
  // Every structure has the same names, which is what the record says.
  ...(Object.fromEntries(structureNames.map((name) => [name, structure])) as Record<
    StructureName,
    CaseNames
  >),
  program: {
    inputs: {
      anchors: 'heads',
      firstRelations: 'along',
      secondTerms: 'secondTerms',
      secondRelations: 'secondRelations',
      thirdTerms: 'thirdTerms',
      thirdRelations: 'thirdRelations',
      answerTerms: 'answerTerms',
    },
    outputs: embedding,
  },
  anchor: { inputs: { entities: 'heads' }, outputs: embedding },
  project: { inputs: { operand: 'left', relations: 'along' }, outputs: embedding },
  conjunction: pair,
  disjunction: pair,
  negation: { inputs: { operand: 'left' }, outputs: embedding },
  rank: {
    inputs: { embedding: 'left', allowed: 'allowed', k: 'number' },
    outputs: { ids: 'best', scores: 'numbers' },
  },
  links: {
    inputs: { heads: 'heads', relations: 'along', offsets: 'offsets', calibration: 'calibration' },
    outputs: { degrees: 'numbers' },
  },
  projectSet: { inputs: { ...ofMembers, recorded: 'recorded' }, outputs: { degrees: 'numbers' } },
  projectSetAt: {
    inputs: { ...ofMembers, recorded: 'recordedAt', candidates: 'candidates' },
    outputs: { degrees: 'numbers' },
  },
};
