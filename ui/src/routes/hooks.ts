import { createRoute } from '@tanstack/react-router'
import { late } from '../shared/ui'
import { rootRoute } from './root'

export const hooksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/hooks',
  component: late(async () => (await import('../features/hooks')).HooksPage),
})
