import { createHashHistory, createRouter } from '@tanstack/react-router'
import { routeTree } from '../routes'
import { Loading } from '../shared/ui'
import { Crashed, NotFound } from './failures'
import { Gate } from './gate'
import { Shell } from './shell'

/** Addresses live behind the `#`, so that the page works below any sub-path without help of the server. */
export const router = createRouter({
  routeTree,
  history: createHashHistory(),
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: Crashed,
  defaultNotFoundComponent: NotFound,
  InnerWrap: ({ children }) => <Gate><Shell>{children}</Shell></Gate>,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
