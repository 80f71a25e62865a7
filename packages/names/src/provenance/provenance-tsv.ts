import { FuzzError } from '@fuzzqe/core';
import { escapeField, readField } from '../rows/tsv-field.ts';
import { instantOf } from './instant.ts';
import {
  type ProvenanceField,
  type Provenances,
  provenanceFields,
  type StatedProvenance,
} from './provenance.ts';

/** Every runtime has it; the types of this package are those of the language alone. */
declare class TextDecoder {
  constructor(encoding: 'utf-8', options: { readonly ignoreBOM: boolean; readonly fatal: boolean });
  decode(bytes: Uint8Array): string;
}

/** Of which graph provenances are, and where they stand. */
export interface ProvenancePlace {
  readonly entityCount: number;
  /** Inverses included. */
  readonly relationCount: number;
  readonly path: string;
}

/**
 * Writes `provenance.tsv`: what is said, `number TAB source TAB date TAB confidence TAB from TAB until`, and then the facts of which
 * it is said, `head TAB relation TAB tail TAB number`.
 */
export function* provenanceTexts({ stated, triples, places }: Provenances): Generator<string> {
  let text = '';
  for (let i = 0; i < stated.length + places.length; i++) {
    if (i < stated.length) {
      const fields = provenanceFields.map((name) => escapeField(String(stated[i]![name] ?? '')));
      text += `${i}\t${fields.join('\t')}\n`;
    } else {
      const at = i - stated.length;
      text += `${triples[3 * at]}\t${triples[3 * at + 1]}\t${triples[3 * at + 2]}\t${places[at]}\n`;
    }
    if (text.length < 1 << 13) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/**
 * Reads `provenance.tsv`.
 *
 * Memory: the bytes, some 50 bytes a fact while it is read and 16 afterwards, and what is said.
 *
 * @throws FuzzError `data` with `path:line`: a line of another form, a fact out of order or of other entities, a date that is none.
 */
export function readProvenances(
  bytes: Uint8Array,
  { entityCount, relationCount, path }: ProvenancePlace,
): Provenances {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
  const stated: StatedProvenance[] = [];
  const [triples, places]: [number[], number[]] = [[], []];
  const factOf = (cells: readonly string[]): boolean => {
    if (cells.length !== 4 || !cells.every((cell) => /^(?:0|[1-9]\d{0,9})$/.test(cell))) return false;
    const [head = 0, relation = 0, tail = 0, place = 0] = cells.map(Number);
    const isInRange = Math.max(head, tail) < entityCount && relation < relationCount && place < stated.length;
    const order =
      head - (triples.at(-3) ?? -1) || relation - triples.at(-2)! || tail - (triples.at(-1) ?? -1);
    if (!isInRange || relation % 2 === 1 || order <= 0) return false;
    triples.push(head, relation, tail);
    places.push(place);
    return true;
  };
  let line = 0;
  for (let at = 0; at < bytes.length; ) {
    line++;
    const end = bytes.indexOf(0x0a, at);
    const text = end < 0 ? undefined : decoder.decode(bytes.subarray(at, end));
    const cells = text?.split('\t') ?? [];
    const isStated = cells.length === provenanceFields.length + 1 && places.length === 0;
    if (isStated && cells[0] === String(stated.length)) {
      const texts = cells.slice(1).map((cell) => readField(cell, `${path}:${line}`));
      stated.push(
        stateProvenance(
          Object.fromEntries(provenanceFields.map((name, i) => [name, texts[i]!])),
          `${path}:${line}`,
        ),
      );
    } else if (!factOf(cells))
      throw new FuzzError(
        'data',
        `provenance: expected what is said, or a fact of the graph in ascending order, got ${JSON.stringify(text ?? 'a line without its end')}`,
        {
          path: `${path}:${line}`,
          hint: `A line is: number TAB ${provenanceFields.join(' TAB ')}; and then: head TAB relation TAB tail TAB number.`,
        },
      );
    at = end + 1;
  }
  return { stated, triples: Int32Array.from(triples), places: Int32Array.from(places) };
}

/**
 * A provenance of its fields as texts, of which empty texts say nothing; a confidence of 1 says nothing, either.
 *
 * @param path where the fields stand.
 * @throws FuzzError `data`: a confidence out of (0, 1]; a beginning or an end that is no date; an end that is not after its beginning.
 */
export function stateProvenance(
  texts: Readonly<Partial<Record<ProvenanceField, string>>>,
  path: string,
): StatedProvenance {
  const given = (name: ProvenanceField): string | undefined => texts[name]?.trim() || undefined;
  const [source, date, sure, from, until] = provenanceFields.map(given);
  const confidence = sure === undefined ? undefined : Number(sure);
  if (confidence !== undefined && !(confidence > 0 && confidence <= 1))
    throw new FuzzError('data', `confidence: expected a number in (0, 1], got ${JSON.stringify(sure)}`, {
      path,
      hint: 'Leave out facts that are known to be wrong.',
    });
  const [begin, end] = (['from', 'until'] as const).map((name) => {
    const text = given(name);
    const moment = text === undefined ? undefined : instantOf(text);
    if (text === undefined || moment !== undefined) return moment;
    throw new FuzzError('data', `${name}: expected a date, got ${JSON.stringify(text)}`, {
      path,
      hint: 'Dates are such as 2001, 2001-05, 2001-05-31 and 2001-05-31T10:00Z.',
    });
  });
  if (begin !== undefined && end !== undefined && begin > end)
    throw new FuzzError(
      'data',
      `until: expected a date that is not before ${from}, got ${JSON.stringify(until)}`,
      {
        path,
        hint: 'A fact holds from its beginning until just before its end.',
      },
    );
  return {
    ...(source === undefined ? {} : { source }),
    ...(date === undefined ? {} : { date }),
    ...(confidence === undefined || confidence === 1 ? {} : { confidence }),
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
  };
}
