import type { HeaderOption, ImportFormat } from '@fuzzqe/data';
import type { PipelineImport } from '@fuzzqe/pipeline';

/** What was told of how to read triples; see `addImportOptions`. */
export interface ImportOptionFlags {
  readonly format?: ImportFormat;
  readonly licence?: string;
  readonly valid?: string;
  readonly test?: string;
  readonly holdOut?: number;
  readonly entities?: string;
  readonly relations?: string;
  readonly header?: HeaderOption;
  readonly comment?: string;
  readonly ignoreExtra?: boolean;
  readonly columns?: string;
  readonly table?: string;
  readonly skipBad?: boolean;
  readonly language?: string;
  readonly attributes?: boolean;
  readonly skipBlank?: boolean;
  readonly contractBlank?: boolean;
  readonly base?: string;
  readonly queryFile?: string;
  readonly dropUnseen?: boolean;
}

/** The flags that say how triples are read, which every command on the same file needs. */
const readingFlags = [
  'format',
  'entities',
  'relations',
  'header',
  'comment',
  'ignoreExtra',
  'columns',
  'table',
  'skipBad',
  'language',
  'attributes',
  'skipBlank',
  'contractBlank',
  'base',
  'queryFile',
] as const satisfies readonly (keyof ImportOptionFlags)[];

/** The flags that were given, as arguments of another command that reads the same triples. */
export function readingArguments(flags: ImportOptionFlags): string[] {
  return readingFlags.flatMap((name) => {
    const value = flags[name];
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (name === 'attributes') return value === false ? ['--no-attributes'] : [];
    if (value === undefined || value === false) return [];
    return value === true ? [`--${flag}`] : [`--${flag}`, value];
  });
}

/** The same for the importer, without what was not told. */
export function importOptionsOf(flags: ImportOptionFlags): PipelineImport {
  const { format, licence, valid, test, holdOut, entities, relations } = flags;
  const {
    header,
    comment,
    ignoreExtra,
    columns,
    table,
    skipBad,
    language,
    attributes,
    skipBlank,
    contractBlank,
    base,
    queryFile,
    dropUnseen,
  } = flags;
  return {
    ...(format === undefined ? {} : { format }),
    ...(licence === undefined ? {} : { licence }),
    ...(valid === undefined ? {} : { valid }),
    ...(test === undefined ? {} : { test }),
    ...(holdOut === undefined ? {} : { holdOut }),
    ...(entities === undefined ? {} : { entities }),
    ...(relations === undefined ? {} : { relations }),
    ...(header === undefined ? {} : { header }),
    ...(comment === undefined ? {} : { comment }),
    ...(ignoreExtra === undefined ? {} : { ignoreExtra }),
    ...(columns === undefined ? {} : { columns }),
    ...(table === undefined ? {} : { table }),
    ...(skipBad === undefined ? {} : { skipBad }),
    ...(language === undefined ? {} : { language }),
    ...(attributes === false ? { attributes } : {}),
    ...(skipBlank === undefined ? {} : { skipBlank }),
    ...(contractBlank === undefined ? {} : { contractBlank }),
    ...(base === undefined ? {} : { base }),
    ...(queryFile === undefined ? {} : { queryFile }),
    ...(dropUnseen === true ? { unknown: 'drop' } : {}),
  };
}
