import { useEffect, useState } from 'react'

/** The value once it has not changed for a while, so that typing does not ask the gateway at every key. */
export function useSettled<T>(value: T, after = 250): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), after)
    return () => clearTimeout(timer)
  }, [value, after])
  return settled
}
