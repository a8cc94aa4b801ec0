export { DashboardPage } from './page'
