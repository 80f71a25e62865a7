import type { Reliability } from '@fuzzqe/bundle';
import type { SavedCalibration } from '@fuzzqe/pipeline';
import { formatColumns } from '../terminal/columns.ts';

/** What a calibration with too few validation facts says. */
export const withoutFit =
  'Fewer than 20 facts are held out for validation: evidence is joined by the default weights, which were fitted on other graphs.';

/** What a calibration rests on, and how its degrees compare with what was found: a row for each tenth. */
export function formatCalibration(
  { fitted, reliability, rules }: Pick<SavedCalibration, 'fitted' | 'reliability' | 'rules'>,
  width: number,
): string[] {
  const count = `${rules.rules.length} rules`;
  const lines = [
    `Evidence for a fact: ${count}, schema, similar entities and the model, joined to one probability.`,
    fitted === null
      ? withoutFit
      : `Its weights are fitted on ${fitted.candidates} possible facts, of which ${fitted.found} are validation facts.`,
  ];
  if (reliability === null) return [...lines, 'No test facts are held out to compare degrees with.'];
  return [
    ...lines,
    'Below, "said" is the mean degree, and "came true" the share that held-out facts confirm.',
    '',
    ...formatReliability(
      'Predicted facts: the five best for a head and a relation',
      reliability.links,
      width,
    ),
    ...(reliability.answers === null
      ? []
      : [
          '',
          ...formatReliability(
            'Predicted answers to queries that no held-out fact has selected',
            reliability.answers,
            width,
          ),
        ]),
  ];
}

/** How stated degrees compare with what was found: what they are of, their error, and a row for each tenth. */
export function formatReliability(
  what: string,
  { ece, count, found, bins }: Reliability,
  width: number,
): string[] {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const head = ['said', 'came true', 'how many'].map((title) => ({ title, right: true }));
  return [
    `${what}.`,
    `${found} of ${count} came true; degrees are wrong by ${ece.toFixed(4)} in the mean (ECE).`,
    ...formatColumns(
      head,
      bins.map((bin) => [percent(bin.stated), percent(bin.found), String(bin.count)]),
      width,
    ),
  ];
}
