import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'
import { statsQuery } from '../../shared/api/queries'
import type { Figures } from '../../shared/api/types'
import { withSample, type Sample } from './samples'

interface History {
  samples: Sample[]
  add: (figures: Figures) => void
}

// Kept outside the page and for the life of the tab, so that the chart is still there after a look at another page
// and after a reload.
const useStore = create<History>()(
  persist(
    (set) => ({
      samples: [],
      add: (figures) => set(({ samples }) => ({ samples: withSample(samples, figures) })),
    }),
    { name: 'lockgate.history', version: 1, storage: createJSONStorage(() => sessionStorage), partialize: ({ samples }) => ({ samples }) },
  ),
)

/** The counters of now, read again every two seconds while the page is seen, and those of the last minutes. */
export function useFigures() {
  const stats = useQuery({ ...statsQuery, refetchInterval: 2000 })
  const { samples, add } = useStore()
  useEffect(() => {
    if (stats.data) add(stats.data)
  }, [stats.data, add])
  return { stats, samples }
}
