import type { AlertSettings } from './alert.js';

/** The settings of an organization, as the API shows them. */
export interface SettingsView {
  alerts: AlertSettings;
}
