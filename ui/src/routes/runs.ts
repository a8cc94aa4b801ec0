import { createRoute } from '@tanstack/react-router'
import { late } from '../shared/ui'
import { rootRoute } from './root'

export const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  component: late(async () => (await import('../features/runs')).RunsPage),
})
