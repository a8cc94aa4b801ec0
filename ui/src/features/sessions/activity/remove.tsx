import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useWords } from '../../../shared/lib/i18n'
import { ConfirmDialog, Dialog, useToast } from '../../../shared/ui'
import { type ActivityView, removeActivity } from './api'
import { words } from './words'

/** Asks before an activity is deleted; one that is in use is not. */
export function RemoveDialog({ activity, onClose }: { activity: ActivityView; onClose: () => void }) {
  const w = useWords(words)
  const client = useQueryClient()
  const toast = useToast()
  const remove = useMutation({
    mutationFn: () => removeActivity(activity.name),
    onSuccess: () => {
      toast({ tone: 'good', title: w.removed })
      onClose()
    },
    onError: (error) => toast({ tone: 'bad', title: w.failed, error }),
    onSettled: () => client.invalidateQueries({ queryKey: ['activities'] }),
  })
  const onOpenChange = (open: boolean) => !open && onClose()
  const title = w.removeTitle(activity.name)
  if (activity.usedBy.length > 0) return <Dialog open size="small" onOpenChange={onOpenChange} title={title} description={w.removeUsed(activity.usedBy.join(', '))} />
  return <ConfirmDialog open danger onOpenChange={onOpenChange} title={title} description={w.removeText} confirm={w.remove} busy={remove.isPending} onConfirm={() => remove.mutate()} />
}
