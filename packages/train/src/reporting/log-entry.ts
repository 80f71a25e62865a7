import { schema } from '@fuzzqe/core';
import { type StructureName, structureNames } from '@fuzzqe/core/query';
import { type LearnedQuantities, learnedQuantities } from '../loss/loss.ts';

/** The mean of some steps, the last of which is `step`, with what the loss has learned by then. */
export interface TrainEntry extends LearnedQuantities {
  readonly kind: 'train';
  readonly step: number;
  /** Mean loss of the steps since the entry before. */
  readonly loss: number;
  /** Of the last of these steps. */
  readonly learningRate: number;
  readonly stepsPerSecond: number;
  /** Seconds of training so far, without the time between an interruption and going on. */
  readonly seconds: number;
  /** Unix time in seconds. */
  readonly time: number;
}

/** What a validation found, as fractions. */
export interface Validation {
  /** The mean over the structures, which decides which parameters are the best. */
  readonly mrr: number;
  /** Filtered MRR of each structure that has validation queries. */
  readonly structures: Readonly<Partial<Record<StructureName, number>>>;
}

/** One validation. */
export interface ValidationEntry extends Validation {
  readonly kind: 'validation';
  readonly step: number;
  /** Seconds of training so far, this validation included. */
  readonly seconds: number;
  readonly time: number;
}

/** A line of a run's log. */
export type LogEntry = TrainEntry | ValidationEntry;

const number = schema.number();
const step = schema.integer({ min: 0 });
const mrr = schema.number({ min: 0, max: 1 });
/** Reads a line of a run's log from JSON. */
export const logEntrySchema: schema.Schema<LogEntry> = schema.union([
  schema.object({
    kind: schema.oneOf(['train']),
    step,
    loss: number,
    learningRate: number,
    ...schema.fieldsOf(learnedQuantities, schema.optional(number)),
    stepsPerSecond: number,
    seconds: number,
    time: number,
  }),
  schema.object({
    kind: schema.oneOf(['validation']),
    step,
    mrr,
    structures: schema.object(schema.fieldsOf(structureNames, schema.optional(mrr))),
    seconds: number,
    time: number,
  }),
]);
