import { useWords } from '../../../shared/lib/i18n'
import { useRefusal } from '../../../shared/ui'
import { useEditor } from './store'
import { words } from './words'

/** Why the workflow can only be looked at: it stands in the config file, or the role is too small; nothing when it can be changed. */
export function useLocked(): string | undefined {
  const w = useWords(words)
  const refusal = useRefusal('editor')
  const fixed = useEditor((state) => state.fixed)
  const readOnly = useEditor((state) => state.readOnly)
  if (!readOnly) return undefined
  return fixed ? w.fixed : refusal
}
