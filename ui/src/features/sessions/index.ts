import { late } from '../../shared/ui'

export { SessionsPage } from './list/page'

/** One session; it is loaded when the first one is opened. */
export const SessionPage = late(async () => (await import('./detail/page')).default)
