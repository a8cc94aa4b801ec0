import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { hooksQuery } from '../../../shared/api/queries'
import type { HookView } from '../../../shared/api/types'
import { useWords } from '../../../shared/lib/i18n'
import { Button, Dialog, Failure, Field, Notice, Select, TextField } from '../../../shared/ui'
import { createModule } from '../api'
import { words } from '../words'

const PHASES = ['pre', 'post', 'both'] as const satisfies readonly HookView['hookType'][]

/** A new module. Its script is written where all hooks are. */
export function NewModule({ onClose }: { onClose: () => void }) {
  const w = useWords(words)
  const client = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [phase, setPhase] = useState<HookView['hookType']>('pre')
  const making = useMutation({
    mutationFn: () => createModule(name.trim(), phase),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: hooksQuery.queryKey })
      await navigate({ to: '/hooks', search: { id } as never })
    },
  })
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={w.newModule} description={w.newModuleText} size="small">
      <form className="flex flex-col gap-4" onSubmit={(event) => (event.preventDefault(), making.mutate())}>
        <Field label={w.name} hint={w.nameHint} required>
          {(ids) => <TextField {...ids} autoFocus value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Field label={w.modulePhase} hint={w.modulePhaseHint}>
          {(ids) => <Select {...ids} value={phase} onValueChange={(next) => setPhase(next as HookView['hookType'])} options={PHASES.map((value) => ({ value, label: w.modulePhases(value) }))} />}
        </Field>
        {making.error && <Notice tone="bad"><Failure error={making.error} /></Notice>}
        <Button type="submit" look="primary" className="self-end" busy={making.isPending} disabled={name.trim() === ''}>{w.create}</Button>
      </form>
    </Dialog>
  )
}
