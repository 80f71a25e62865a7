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
    `Evidence: ${count}, schema, similar entities and the model, joined to one probability.`,
    fitted === null
      ? withoutFit
      : `Fitted on ${fitted.candidates} candidates of ${fitted.links} links; ${fitted.found} candidates are validation facts.`,
  ];
  if (reliability === null) return [...lines, 'No test facts are held out to compare degrees with.'];
  return [
    ...lines,
    '',
    ...formatReliability(
      'Facts: the five best unrecorded tails of plausible links',
      reliability.links,
      width,
    ),
    ...(reliability.answers === null
      ? []
      : [
          '',
          ...formatReliability(
            'Answers that are not recorded, to queries drawn whether an answer is missing or not',
            reliability.answers,
            width,
          ),
        ]),
  ];
}

function formatReliability(what: string, { ece, count, found, bins }: Reliability, width: number): string[] {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const head = ['said', 'came true', 'how many'].map((title) => ({ title, right: true }));
  return [
    `${what}.`,
    `Of ${count}, ${found} came true; the calibration error (ECE) is ${ece.toFixed(4)}.`,
    ...formatColumns(
      head,
      bins.map((bin) => [percent(bin.stated), percent(bin.found), String(bin.count)]),
      width,
    ),
  ];
}
