export { ToolsPage } from './page'
