import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { accountQuery } from '../shared/api/account'
import { ApiError, onStranger } from '../shared/api/client'
import { LanguageProvider } from '../shared/lib/i18n'
import { ThemeProvider } from '../shared/lib/theme'
import { ToastProvider, TooltipProvider } from '../shared/ui'
import { router } from './router'
import './styles.css'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal will be the same the next time; a gateway that restarts will not.
      retry: (count, error) => error instanceof ApiError && error.status === 0 && count < 2,
    },
  },
})

// Whoever is not signed in any more is asked for a key, whatever was being done.
onStranger(() => {
  if (queries.getQueryData(accountQuery.queryKey)) void queries.invalidateQueries(accountQuery)
})

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <LanguageProvider>
          <ThemeProvider>
            <TooltipProvider>
              <ToastProvider>
                <RouterProvider router={router} />
              </ToastProvider>
            </TooltipProvider>
          </ThemeProvider>
        </LanguageProvider>
      </QueryClientProvider>
    </StrictMode>,
  )
}
