import { createRoute } from '@tanstack/react-router'
import { late } from '../shared/ui'
import { rootRoute } from './root'

export const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit',
  component: late(async () => (await import('../features/audit')).AuditPage),
})
