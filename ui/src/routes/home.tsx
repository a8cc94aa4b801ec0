import { useQuery } from '@tanstack/react-query'
import { createRoute, Navigate } from '@tanstack/react-router'
import { serversQuery } from '../shared/api/queries'
import { late, Loading } from '../shared/ui'
import { rootRoute } from './root'

const DashboardPage = late(async () => (await import('../features/dashboard')).DashboardPage)

/** The dashboard, or the first run while there is no server. */
function HomePage() {
  const servers = useQuery(serversQuery)
  if (servers.data?.length === 0) return <Navigate to="/start" replace />
  // Without an answer the dashboard says what is wrong.
  return servers.data || servers.error ? <DashboardPage /> : <Loading />
}

export const homeRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: HomePage })
