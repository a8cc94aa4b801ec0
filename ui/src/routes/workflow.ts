import { createRoute } from '@tanstack/react-router'
import { late } from '../shared/ui'
import { rootRoute } from './root'

export const workflowRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflows/$id',
  component: late(async () => (await import('../features/workflows')).WorkflowPage),
})
