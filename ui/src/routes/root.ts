import { createRootRoute, Outlet } from '@tanstack/react-router'

/** Above every page; the shell around it belongs to the app. */
export const rootRoute = createRootRoute({ component: Outlet })
