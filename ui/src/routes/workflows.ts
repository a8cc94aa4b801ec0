import { createRoute } from '@tanstack/react-router'
import { late } from '../shared/ui'
import { rootRoute } from './root'

export const workflowsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflows',
  component: late(async () => (await import('../features/workflows')).WorkflowsPage),
})
