import { useLayoutEffect, useRef, useState } from 'react'

type Functions = Record<string, (...values: never[]) => void>

/** Functions that stay the same and do what those of the last rendering do, so that what takes them need not be drawn anew. */
export function useSteady<T extends Functions>(functions: T): T {
  const latest = useRef(functions)
  useLayoutEffect(() => {
    latest.current = functions
  })
  const [steady] = useState(() => {
    const names = Object.keys(functions)
    return Object.fromEntries(names.map((name) => [name, (...values: never[]) => latest.current[name]?.(...values)])) as T
  })
  return steady
}
