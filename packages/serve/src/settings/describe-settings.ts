import type { Setting } from './setting.ts';
import { settingNames, settingOf } from './settings-table.ts';

/** The schema of a file of settings, for editors: JSON Schema 2020-12. */
export function settingsJsonSchema(): object {
  const properties = settingNames.map((name) => [name, propertyOf(settingOf(name))]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of fuzzqe serve',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) },
    additionalProperties: false,
  };
}

function propertyOf(setting: Setting): object {
  const shared = {
    description: setting.help,
    ...(setting.fallback === undefined ? {} : { default: setting.fallback }),
  };
  switch (setting.kind) {
    case 'integer':
    case 'number':
      return { type: setting.kind, minimum: setting.min, maximum: setting.max, ...shared };
    case 'choice':
      return { enum: setting.choices, ...shared };
    case 'list':
      return { type: 'array', items: { type: 'string' }, ...shared };
    default:
      return { type: 'string', ...shared };
  }
}
