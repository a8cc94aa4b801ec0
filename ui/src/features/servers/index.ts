export { ServersPage } from './page'
