import { createDataset, type Dataset } from '@fuzzqe/data';

/** With fewer validation facts than this, weights are fitted on all of them and nothing is left to judge degrees by. */
const enough = 1000;

/**
 * A data set whose validation facts fit the weights of evidence and whose test facts judge the degrees.
 *
 * The data set itself, unless it has no test facts and at least 1000 validation facts. Then a hash of each fact makes half of the
 * validation facts test facts, so that degrees are compared with facts that fitted nothing.
 */
export function calibrationParts(dataset: Dataset): Dataset {
  const { valid, test } = dataset;
  if (test.length > 0 || valid.length < 3 * enough) return dataset;
  const halves: readonly [number[], number[]] = [[], []];
  for (let at = 0; at < valid.length; at += 3) {
    const fact = valid.subarray(at, at + 3);
    halves[hashBit(fact)].push(...fact);
  }
  const [fitted, judged] = halves.map((half) => Int32Array.from(half));
  return createDataset({ ...dataset, valid: fitted!, test: judged! });
}

/** One bit of a multiplicative hash of a fact. */
function hashBit(fact: Int32Array): 0 | 1 {
  let hash = 0x9e3779b9;
  for (const id of fact) hash = Math.imul(hash ^ id, 0x85ebca6b) ^ (hash >>> 15);
  return (Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35) >>> 31) as 0 | 1;
}
