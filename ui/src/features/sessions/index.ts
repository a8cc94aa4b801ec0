import { lazy } from 'react'

export { SessionsPage } from './list/page'

/** One session; it is loaded when the first one is opened. */
export const SessionPage = lazy(() => import('./detail/page'))
