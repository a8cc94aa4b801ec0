import { lazy } from 'react'

export { WorkflowsPage } from './list/page'

/** The editor; its canvas is loaded when the first workflow is opened. */
export const WorkflowPage = lazy(() => import('./editor/page'))
