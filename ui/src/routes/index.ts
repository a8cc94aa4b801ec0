import { auditRoute } from './audit'
import { homeRoute } from './home'
import { hooksRoute } from './hooks'
import { requestsRoute } from './requests'
import { rootRoute } from './root'
import { runRoute } from './run'
import { runsRoute } from './runs'
import { schedulesRoute } from './schedules'
import { serversRoute } from './servers'
import { sessionRoute } from './session'
import { sessionsRoute } from './sessions'
import { settingsRoute } from './settings'
import { startRoute } from './start'
import { toolsRoute } from './tools'
import { workflowRoute } from './workflow'
import { workflowsRoute } from './workflows'

/** Every URL of the app. */
export const routeTree = rootRoute.addChildren([
  homeRoute, startRoute, serversRoute, toolsRoute, requestsRoute, hooksRoute, workflowsRoute, workflowRoute,
  runsRoute, runRoute, sessionsRoute, sessionRoute, schedulesRoute, auditRoute, settingsRoute,
])
