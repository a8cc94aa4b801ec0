import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ROLES, useStay } from '../../../shared/lib/access'
import { useWords } from '../../../shared/lib/i18n'
import { Button, CopyButton, Dialog, Failure, Field, FormDialog, Notice, Select, Switch, TextField } from '../../../shared/ui'
import { createKey } from './api'
import { type Draft, grantOf, isName, NEW, NO_ROLE } from './draft'
import { words } from './words'

/** Makes a key, and shows it this once. */
export function CreateDialog({ isFirst, onClose }: { isFirst: boolean; onClose: () => void }) {
  const w = useWords(words)
  const client = useQueryClient()
  // The first key has to let somebody in who can make others.
  const [draft, setDraft] = useState<Draft>({ ...NEW, role: isFirst ? 'operator' : NEW.role })
  const set = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  const making = useMutation({
    mutationFn: () => createKey(draft.name, grantOf(draft)),
    onSuccess: () => (isFirst ? undefined : client.invalidateQueries({ queryKey: ['keys'] })),
  })
  // With the first key everything else is refused; nobody could sign in without having seen it. Another key goes out of
  // sight with the one who made it.
  useStay(isFirst && (making.isPending || making.isSuccess))
  if (making.data) return <MadeDialog name={making.data.name} secret={making.data.key} onClose={onClose} />
  return (
    <FormDialog
      open
      dirty={[draft.name, draft.servers, draft.tools, draft.expires].some((text) => text !== '')}
      onOpenChange={(open) => !open && onClose()}
      title={w.create}
      footer={<Button look="primary" icon="key" busy={making.isPending} disabled={!isName(draft.name)} onClick={() => making.mutate()}>{w.create}</Button>}
    >
      <div className="flex flex-col gap-4">
        {isFirst && <Notice tone="warn">{w.first}</Notice>}
        <Field label={w.name} required hint={w.nameHint}>
          {(ids) => <TextField {...ids} value={draft.name} onChange={(event) => set({ name: event.target.value })} />}
        </Field>
        <Field label={w.role}>
          {(ids) => <Select {...ids} value={draft.role} onValueChange={(role) => set({ role: role as Draft['role'] })} options={[...ROLES, NO_ROLE].map((role) => ({ value: role, label: w.roles(role as Draft['role']) }))} />}
        </Field>
        <Field label={w.servers} hint={w.serversHint}>
          {(ids) => <TextField {...ids} className="font-mono" value={draft.servers} onChange={(event) => set({ servers: event.target.value })} />}
        </Field>
        <Field label={w.tools} hint={w.toolsHint}>
          {(ids) => <TextField {...ids} className="font-mono" value={draft.tools} onChange={(event) => set({ tools: event.target.value })} />}
        </Field>
        <Switch checked={draft.readOnly} onCheckedChange={(readOnly) => set({ readOnly })} label={w.readOnly} showLabel />
        <Field label={w.expires} hint={w.expiresHint}>
          {(ids) => <TextField {...ids} type="date" value={draft.expires} onChange={(event) => set({ expires: event.target.value })} />}
        </Field>
        {making.error && <Notice tone="bad"><Failure error={making.error} /></Notice>}
      </div>
    </FormDialog>
  )
}

function MadeDialog({ name, secret, onClose }: { name: string; secret: string; onClose: () => void }) {
  const w = useWords(words)
  return (
    // Only the button closes it: a key that was not kept is lost.
    <Dialog open onOpenChange={() => {}} title={w.madeTitle(name)} description={w.madeText} footer={<Button look="primary" icon="check" onClick={onClose}>{w.kept}</Button>}>
      <p className="flex items-center gap-2 rounded-lg border border-line bg-sunken p-3">
        <code data-key={name} className="min-w-0 flex-1 font-mono text-[13px] [overflow-wrap:anywhere]">{secret}</code>
        <CopyButton text={secret} />
      </p>
    </Dialog>
  )
}
