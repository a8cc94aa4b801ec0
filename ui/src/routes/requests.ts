import { createRoute } from '@tanstack/react-router'
import { late } from '../shared/ui'
import { rootRoute } from './root'

export const requestsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/requests',
  component: late(async () => (await import('../features/requests')).RequestsPage),
})
