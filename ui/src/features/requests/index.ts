export { RequestsPage } from './page'
