export { SettingsPage } from './page'
