/** Under which heading help lists a setting. */
export type SettingGroup = 'Address' | 'Model' | 'Access' | 'Limits' | 'Timeouts' | 'Observation';

interface SettingOf<Kind extends string, Value> {
  readonly kind: Kind;
  readonly group: SettingGroup;
  /** What stands for its value in help. */
  readonly value: string;
  readonly help: string;
  /** Its value where nothing else is said. */
  readonly fallback?: Value | undefined;
}

/** A path, name or address. */
export interface TextSetting extends SettingOf<'text', string> {
  /** What the text has to be, where that can be told before it is used. */
  readonly form?: 'collector';
}

/** A number within bounds. */
export interface NumberSetting extends SettingOf<'integer' | 'number', number> {
  readonly min: number;
  readonly max: number;
}

/** One name of a closed set. */
export interface ChoiceSetting<Choice extends string = string> extends SettingOf<'choice', Choice> {
  readonly choices: readonly Choice[];
}

/** Texts, separated by commas on a command line. */
export interface ListSetting extends SettingOf<'list', readonly string[]> {
  /** What each of them has to be. */
  readonly form?: 'origin' | 'host';
}

/** One thing that can be set, by a flag, by an environment variable or in a file. */
export type Setting = TextSetting | NumberSetting | ChoiceSetting | ListSetting;
