import { createRoute } from '@tanstack/react-router'
import { late } from '../shared/ui'
import { rootRoute } from './root'

export const serversRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/servers',
  component: late(async () => (await import('../features/servers')).ServersPage),
})
