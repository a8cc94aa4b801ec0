export { SchedulesPage } from './page'
