import { useQuery } from '@tanstack/react-query'
import { createRoute, lazyRouteComponent, Navigate } from '@tanstack/react-router'
import { serversQuery } from '../shared/api/queries'
import { ErrorState, Loading } from '../shared/ui'
import { rootRoute } from './root'

const DashboardPage = lazyRouteComponent(() => import('../features/dashboard'), 'DashboardPage')

/** The dashboard, or the first run while there is no server. */
function HomePage() {
  const servers = useQuery(serversQuery)
  if (servers.data) return servers.data.length === 0 ? <Navigate to="/start" replace /> : <DashboardPage />
  if (servers.error) return <div className="p-6"><ErrorState error={servers.error} retry={() => void servers.refetch()} /></div>
  return <Loading />
}

export const homeRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: HomePage })
