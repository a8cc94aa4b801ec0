import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root'

export const workflowRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workflows/$id',
  component: lazyRouteComponent(() => import('../features/workflows'), 'WorkflowPage'),
})
