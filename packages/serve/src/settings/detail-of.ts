// No import of values: the command line loads this for its help.
import type { Setting } from './setting.ts';

/** Its bounds and its value when absent, for people. */
export function detailOf(setting: Setting): string {
  const fallback = setting.fallback === undefined ? [] : [`default: ${setting.fallback}`];
  switch (setting.kind) {
    case 'choice':
      return [setting.choices.join(', '), ...fallback].join('; ');
    case 'integer':
    case 'number':
      return [`${setting.min} to ${setting.max}`, ...fallback].join('; ');
    default:
      return fallback.join('; ');
  }
}
