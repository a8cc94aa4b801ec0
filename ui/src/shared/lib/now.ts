import { useEffect, useState } from 'react'

/** The time of day, which goes on by itself while it is wanted. */
export function useNow(wanted: boolean, every = 1000): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!wanted) return undefined
    const timer = setInterval(() => setNow(Date.now()), every)
    return () => clearInterval(timer)
  }, [wanted, every])
  return now
}
