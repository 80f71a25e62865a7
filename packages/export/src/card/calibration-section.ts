import type { Manifest } from '@fuzzqe/bundle';
import { code, table } from './markdown.ts';

/** The calibration of answers by sets, and whether it was fitted. */
export function calibrationSection({ sets }: Pick<Manifest, 'sets'>): string {
  const { calibration, fitted, probability } = sets;
  const rows = Object.entries(calibration).map(([name, value]) => [code(name), `${value}`]);
  const percent = (share: number): string => (100 * share).toFixed(1);
  const origin =
    fitted === null
      ? 'The calibration was not fitted: these are the defaults, so degrees order answers and say little by themselves.'
      : `The calibration was fitted on ${fitted.each} validation queries of each structure: ${percent(fitted.mrr)} % MRR over
structures there, ${percent(fitted.defaultMrr)} % with the defaults${fitted.entities === undefined ? '' : `, among ${fitted.entities} entities with the facts among them`}.`;
  return `${origin} ${probability === null ? 'Degrees of links are no probabilities.' : 'The manifest has how degrees of links become probabilities.'}

${table([['Number', 'Value'], ...rows])}`;
}
