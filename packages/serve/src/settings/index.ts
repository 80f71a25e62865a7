export { detailOf } from './detail-of.ts';
export type { Setting, SettingGroup } from './setting.ts';
export {
  flagOf,
  type SettingName,
  type Settings,
  settingNames,
  settingOf,
  settingsTable,
  variableOf,
  variablePrefix,
} from './settings-table.ts';
