import {
  detailOf,
  flagOf,
  type SettingGroup,
  settingNames,
  settingOf,
  variableOf,
} from '@fuzzqe/serve/settings';
import { code, generatedPage, plain, table } from './markdown.ts';

/** The settings of a server, a table for each group. */
export function settingsPage(): string {
  const groups = [...new Set(settingNames.map((name) => settingOf(name).group))];
  const rowsOf = (group: SettingGroup): readonly (readonly string[])[] =>
    settingNames
      .filter((name) => settingOf(name).group === group)
      .map((name) => {
        const setting = settingOf(name);
        const meaning = [setting.help, detailOf(setting)].filter((text) => text !== '').join('; ');
        return [code(name), code(flagOf(name)), code(variableOf(name)), plain(meaning)];
      });
  const tables = groups.map(
    (group) => `## ${group}\n\n${table(['Key in the file', 'Flag', 'Variable', 'Meaning'], rowsOf(group))}`,
  );
  return generatedPage(
    'Settings of the server',
    'the settings table of @fuzzqe/serve',
    `\`fuzzqe serve\` reads a setting from a flag, from an environment variable, or from the JSON file that \`--config\`
or \`FUZZQE_SERVE_CONFIG\` names. A flag wins over a variable, and a variable wins over the file.
[serve-settings.schema.json](../serve-settings.schema.json) is the JSON Schema of the file, for editors.
The server refuses an unknown key or variable. Times are in milliseconds, sizes in bytes.

${tables.join('\n')}`,
  );
}
