import { lazy } from 'react'

export { RunsPage } from './list/page'

/** One run; its canvas is loaded when the first one is opened. */
export const RunPage = lazy(() => import('./detail/page'))
