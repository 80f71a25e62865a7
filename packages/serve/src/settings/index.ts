export { detailOf } from './detail-of.ts';
export {
  flagOf,
  type Setting,
  type SettingGroup,
  type SettingName,
  type Settings,
  settingNames,
  settingOf,
  settingsTable,
  variableOf,
  variablePrefix,
} from './settings-table.ts';
