import { createRoute } from '@tanstack/react-router'
import { late } from '../shared/ui'
import { rootRoute } from './root'

export const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$id',
  component: late(async () => (await import('../features/runs')).RunPage),
})
