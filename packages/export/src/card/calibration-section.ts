import type { Manifest, Reliability } from '@fuzzqe/bundle';
import { table } from './markdown.ts';

/** What degrees say: the fit of the evidence, and how stated degrees compare with what was found. */
export function calibrationSection({ sets }: Pick<Manifest, 'sets'>): string {
  const { fitted, reliability } = sets;
  const origin =
    fitted === null
      ? 'Fewer than 20 facts were held out for validation, so the weights of evidence are the default. Degrees order answers.'
      : `A degree is a probability: rules, schema, similar entities and the model are joined by weights that were fitted on ${fitted.candidates} candidates of ${fitted.links} links, of which ${fitted.found} were hidden facts. It presumes that the graph lacks about as many facts as were hidden.`;
  if (reliability === null) return origin;
  const { links, answers } = reliability;
  return `${origin}

Links that are not recorded, said and found on the test facts:

${reliabilityTable(links)}
${answers === null ? '' : `\nAnswers to queries that were drawn whether an answer is missing or not:\n\n${reliabilityTable(answers)}\n`}`;
}

function reliabilityTable({ bins, count, ece }: Reliability): string {
  const rows = bins.map((bin) => [bin.stated.toFixed(3), bin.found.toFixed(3), `${bin.count}`]);
  return `${table([['Said (mean degree)', 'Found', 'How many'], ...rows])}

Expected calibration error ${ece.toFixed(4)} over ${count}.`;
}
