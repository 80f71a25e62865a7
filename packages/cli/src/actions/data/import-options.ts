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

/** The flags that say which facts are held out, and under which licence, as the importer names them. */
const splittingFlags = ['licence', 'valid', 'test', 'holdOut'] as const;

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
  return {
    ...told(flags, readingFlags),
    ...told(flags, splittingFlags),
    ...(flags.dropUnseen === true ? { unknown: 'drop' } : {}),
  };
}

/** The flags of those names that were given. */
function told<Name extends keyof ImportOptionFlags>(
  flags: ImportOptionFlags,
  names: readonly Name[],
): Pick<ImportOptionFlags, Name> {
  // commander gives `attributes` always: true means that --no-attributes was not told.
  const given = names.filter(
    (name) => flags[name] !== undefined && (name !== 'attributes' || flags[name] === false),
  );
  // `fromEntries` knows nothing of names.
  return Object.fromEntries(given.map((name) => [name, flags[name]])) as Pick<ImportOptionFlags, Name>;
}
