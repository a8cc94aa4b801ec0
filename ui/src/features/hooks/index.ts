export { HooksPage } from './page'
