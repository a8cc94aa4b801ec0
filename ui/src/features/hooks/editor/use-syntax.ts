import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useMay } from '../../../shared/lib/access'
import type { CodeDiagnostic } from '../../../shared/ui'
import { validateScript } from '../api'

/** What the engine that runs the script says of its syntax, a moment after the last key. */
export function useSyntax(script: string) {
  const [settled, setSettled] = useState(script)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(script), 300)
    return () => clearTimeout(timer)
  }, [script])
  const mayEdit = useMay('editor')
  const check = useQuery({
    queryKey: ['hooks', 'syntax', settled],
    queryFn: ({ signal }) => validateScript(settled, signal),
    enabled: mayEdit && settled.trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 10_000,
    retry: false,
  })
  const found = check.data
  const diagnostics = useMemo<CodeDiagnostic[]>(
    () => (found?.valid === false ? [{ line: found.line ?? 1, column: found.column ?? 1, message: found.error ?? '' }] : []),
    [found],
  )
  return { checking: settled !== script || check.isFetching, result: found, diagnostics }
}
