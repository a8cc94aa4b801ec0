import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root'

export const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$id',
  component: lazyRouteComponent(() => import('../features/runs'), 'RunPage'),
})
