import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root'

export const serversRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/servers',
  component: lazyRouteComponent(() => import('../features/servers'), 'ServersPage'),
})
