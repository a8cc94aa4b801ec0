import { createRoute } from '@tanstack/react-router'
import { late } from '../shared/ui'
import { rootRoute } from './root'

export const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/start',
  component: late(async () => (await import('../features/start')).StartPage),
})
