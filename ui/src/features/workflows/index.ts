import { late } from '../../shared/ui'

export { WorkflowsPage } from './list/page'

/** The editor; its canvas is loaded when the first workflow is opened. */
export const WorkflowPage = late(async () => (await import('./editor/page')).default)
