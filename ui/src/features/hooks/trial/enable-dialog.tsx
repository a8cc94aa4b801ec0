import { useWords } from '../../../shared/lib/i18n'
import { ConfirmDialog } from '../../../shared/ui'
import { words } from '../words'
import type { Enabling } from './use-enabling'

/** Asks before a script runs whose cases do not hold. */
export function EnableDialog({ enabling }: { enabling: Enabling }) {
  const w = useWords(words)
  const { question, answer } = enabling
  return (
    <ConfirmDialog
      open={question !== undefined}
      onOpenChange={(open) => !open && answer(false)}
      title={w.enableFailTitle}
      description={question && (question.kind === 'save' ? w.saveFailText : w.enableFailText)(question.failing, question.of)}
      confirm={question?.kind === 'save' ? w.saveAnyway : w.enableAnyway}
      danger
      onConfirm={() => answer(true)}
    />
  )
}
