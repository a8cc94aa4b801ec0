import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root'

export const hooksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/hooks',
  component: lazyRouteComponent(() => import('../features/hooks'), 'HooksPage'),
})
