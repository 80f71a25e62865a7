import { FuzzError, schema } from '@fuzzqe/core';
import { featureCount, featureNames } from './features.ts';
import type { LinkWeights } from './link-weights.ts';

const { array, integer, nullable, number, object, oneOf } = schema;

/** `evidence.json` of runs and bundles. */
interface EvidenceFile {
  readonly format: 'fuzzqe-evidence';
  readonly version: 1;
  /** τ; null without a model. */
  readonly temperature: number | null;
  /** Relations by which entities say what they are. */
  readonly typeRelations: readonly number[];
  /** The features, in the order of weights. */
  readonly features: readonly string[];
  /** A row of weights for each relation, inverses included. */
  readonly weights: readonly (readonly number[])[];
}

const fileSchema: schema.Schema<EvidenceFile> = object({
  format: oneOf(['fuzzqe-evidence']),
  version: oneOf([1]),
  temperature: nullable(number({ above: 0 })),
  typeRelations: array(integer({ min: 0 })),
  features: array(oneOf(featureNames), { min: featureCount }),
  weights: array(array(number(), { min: featureCount })),
});

/** The weights of evidence as JSON, a line for each relation. Numbers have 9 digits, so that every reader has the same ones. */
export function writeEvidence({ temperature, typeRelations, relations }: LinkWeights): string {
  const rows = Array.from({ length: relations.length / featureCount }, (_, relation) =>
    JSON.stringify(
      Array.from(relations.subarray(relation * featureCount, (relation + 1) * featureCount), digits),
    ),
  );
  const head = { format: 'fuzzqe-evidence', version: 1, temperature, typeRelations, features: featureNames };
  return `${JSON.stringify(head).slice(0, -1)},"weights":[\n${rows.join(',\n')}\n]}\n`;
}

const digits = (value: number): number => Number(value.toPrecision(9));

/**
 * Reads weights of evidence.
 *
 * @throws FuzzError `bundle`: the text is no such file, or of a graph with another number of relations.
 */
export function readEvidence(text: string, relationCount: number, path = 'evidence.json'): LinkWeights {
  const file = schema.parse(fileSchema, jsonOf(text, path), { code: 'bundle', what: path });
  const refuse = (expected: string, got: string): never => {
    throw new FuzzError('bundle', `expected ${expected}, got ${got}`, {
      path,
      hint: 'The file is of another graph or version; calibrate and export again.',
    });
  };
  if (file.features.join() !== featureNames.join())
    refuse(`the features ${featureNames.join(', ')}`, file.features.join(', '));
  if (file.weights.length !== relationCount)
    refuse(`weights of ${relationCount} relations`, `${file.weights.length}`);
  const long = file.weights.find((row) => row.length !== featureCount);
  if (long !== undefined) refuse(`${featureCount} weights a relation`, `${long.length}`);
  const { temperature, typeRelations } = file;
  const other = typeRelations.find((relation) => relation >= relationCount);
  if (other !== undefined) refuse(`type relations in [0, ${relationCount})`, `${other}`);
  return { temperature, typeRelations, relations: Float64Array.from(file.weights.flat()) };
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new FuzzError('bundle', 'expected JSON of weights of evidence', {
      path,
      hint: 'The file is damaged; calibrate and export again.',
      cause,
    });
  }
}
