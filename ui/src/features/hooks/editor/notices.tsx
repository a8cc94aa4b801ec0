import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { sayingOfScript } from '../../../shared/api/failures'
import { hooksQuery } from '../../../shared/api/queries'
import { useLanguage, useWords } from '../../../shared/lib/i18n'
import { Button, CodeEditor, Dialog, Notice } from '../../../shared/ui'
import { resetHook } from '../api'
import { fieldsOf, type Hook } from '../model'
import { words } from '../words'
import type { Editing } from './use-editing'

/** What one should know before going on: changes of others, unsaved ones, and a hook that keeps failing. */
export function HookNotices({ hook, editing }: { hook: Hook | undefined; editing: Editing }) {
  const w = useWords(words)
  const [comparing, setComparing] = useState(false)
  return (
    <>
      {hook && editing.conflict && (
        <Notice
          tone="bad"
          action={
            <span className="flex flex-wrap gap-1.5">
              <Button size="small" onClick={() => setComparing(true)}>{w.compare}</Button>
              <Button size="small" onClick={editing.takeTheirs}>{w.takeTheirs}</Button>
              <Button size="small" onClick={editing.keepMine}>{w.keepMine}</Button>
            </span>
          }
        >
          {w.conflict}
        </Notice>
      )}
      {editing.orphan && <Notice tone="bad" action={<Button size="small" onClick={editing.askDiscard}>{w.discard}</Button>}>{w.orphan}</Notice>}
      {editing.found && !editing.conflict && !editing.orphan && <Notice tone="info" action={<Button size="small" onClick={editing.askDiscard}>{w.discard}</Button>}>{w.restored}</Notice>}
      {hook?.tripped === true && <Tripped hook={hook} />}
      {hook?.lastError && !hook.tripped && <LastError hook={hook} />}
      {hook && (
        <Dialog open={comparing} onOpenChange={setComparing} size="large" title={w.compareTitle}>
          <div className="grid gap-3 sm:grid-cols-2">
            <Version title={w.mine} script={editing.fields.script} />
            <Version title={w.theirs} script={fieldsOf(hook).script} />
          </div>
        </Dialog>
      )}
    </>
  )
}

function Version({ title, script }: { title: string; script: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <h3 className="text-[13px] font-medium">{title}</h3>
      <CodeEditor language="javascript" label={title} value={script} readOnly className="h-96" />
    </div>
  )
}

function Tripped({ hook }: { hook: Hook }) {
  const w = useWords(words)
  const client = useQueryClient()
  const reset = useMutation({
    mutationFn: () => resetHook(hook.id),
    onSuccess: () => client.invalidateQueries({ queryKey: hooksQuery.queryKey, exact: true }),
  })
  return (
    <Notice tone="bad" action={<Button needs="editor" size="small" busy={reset.isPending} onClick={() => reset.mutate()}>{w.reset}</Button>}>
      <p>{w.trippedText}</p>
      <ErrorText hook={hook} />
    </Notice>
  )
}

function LastError({ hook }: { hook: Hook }) {
  const w = useWords(words)
  return (
    <Notice tone="warn">
      <p className="font-medium">{w.lastError}</p>
      <ErrorText hook={hook} />
    </Notice>
  )
}

function ErrorText({ hook }: { hook: Hook }) {
  const w = useWords(words)
  const { language } = useLanguage()
  const error = hook.lastError
  if (!error) return null
  return (
    <>
      {language !== 'en' && <p className="mt-0.5 text-xs">{sayingOfScript(error, language).text}</p>}
      <p className="mt-0.5 font-mono text-xs">
        {error.code}: {error.message}
        {error.line ? ` (${w.at(error.line, error.column)})` : ''}
      </p>
    </>
  )
}
