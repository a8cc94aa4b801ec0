import { createRoute } from '@tanstack/react-router'
import { late } from '../shared/ui'
import { rootRoute } from './root'

export const toolsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tools',
  component: late(async () => (await import('../features/tools')).ToolsPage),
})
