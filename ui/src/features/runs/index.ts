import { late } from '../../shared/ui'

export { RunsPage } from './list/page'

/** One run; its canvas is loaded when the first one is opened. */
export const RunPage = late(async () => (await import('./detail/page')).default)
