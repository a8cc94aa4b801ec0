import { useEffect, useState } from 'react'

/** Whether a media query holds now, such as `(max-width: 767px)`. */
export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const listen = () => setHolds(list.matches)
    listen()
    list.addEventListener('change', listen)
    return () => list.removeEventListener('change', listen)
  }, [query])
  return holds
}
