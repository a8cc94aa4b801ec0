import { createHashHistory, createRouter } from '@tanstack/react-router'
import { routeTree } from '../routes'
import { Loading } from '../shared/ui'
import { Crashed, NotFound } from './failures'
import { Shell } from './shell'

/** Addresses live behind the `#`, so that the page works below any sub-path without help of the server. */
export const router = createRouter({
  routeTree,
  history: createHashHistory(),
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: Crashed,
  defaultNotFoundComponent: NotFound,
  InnerWrap: ({ children }) => <Shell>{children}</Shell>,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
