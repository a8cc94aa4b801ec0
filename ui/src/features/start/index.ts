export { StartPage } from './page'
