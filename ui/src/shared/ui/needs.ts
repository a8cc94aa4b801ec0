import { type Role, useMay } from '../lib/access'
import { useWords } from '../lib/i18n'
import { words } from './words'

/** Why the one who uses the page may not do what needs a role; nothing when it is permitted. */
export function useRefusal(needs: Role | undefined): string | undefined {
  const w = useWords(words)
  const permitted = useMay(needs)
  return needs === undefined || permitted ? undefined : w.needs(needs)
}
