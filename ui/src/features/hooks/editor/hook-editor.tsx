import { useWords } from '../../../shared/lib/i18n'
import { Badge, Button, Field, Menu, IconButton, Select, TextField, type MenuItem } from '../../../shared/ui'
import type { Fields, Hook } from '../model'
import { words } from '../words'
import { ScriptEditor } from './script-editor'
import type { Editing } from './use-editing'
import { HookNotices } from './notices'

/** The fields of a hook and its script. */
export function HookEditor({ hook, editing, onTry }: { hook: Hook | undefined; editing: Editing; onTry: () => void }) {
  const w = useWords(words)
  const { fields, edit, dirty, conflict, busy } = editing
  const valid = fields.name.trim() !== '' && fields.script.trim() !== ''
  const enabled = hook?.enabled === true
  const actions: MenuItem[] = []
  if (dirty) actions.push({ label: w.discard, icon: 'undo', onSelect: editing.askDiscard })
  if (hook) actions.push({ label: w.remove, icon: 'trash', danger: true, onSelect: editing.askRemove })
  return (
    <div className="flex min-h-full flex-col gap-3">
      <header className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 truncate text-base font-semibold tracking-tight">{fields.name || w.untitled}</h2>
        {hook ? <Badge tone={enabled ? 'good' : 'neutral'}>{enabled ? w.enabled : w.disabled}</Badge> : <Badge tone="info">{w.newDraft}</Badge>}
        {dirty && <Badge tone="warn">{w.unsaved}</Badge>}
        <span className="ml-auto flex items-center gap-2">
          {!enabled && <Button needs="editor" disabled={!valid || conflict} busy={busy} onClick={() => editing.save(true)}>{w.saveEnable}</Button>}
          <Button needs="editor" look="primary" disabled={!dirty || !valid || conflict} busy={busy} onClick={() => editing.save(hook ? undefined : false)}>{w.save}</Button>
          {actions.length > 0 && <Menu items={actions}><IconButton icon="more" label={w.more} /></Menu>}
        </span>
      </header>
      <HookNotices hook={hook} editing={editing} />
      <FieldRow fields={fields} edit={edit} />
      <ScriptEditor script={fields.script} onChange={(script) => edit({ script })} onSubmit={onTry} />
    </div>
  )
}

function FieldRow({ fields, edit }: { fields: Fields; edit: (change: Partial<Fields>) => void }) {
  const w = useWords(words)
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,13rem),1fr))] gap-3">
      <Field label={w.name} required>{(ids) => <TextField {...ids} maxLength={100} value={fields.name} onChange={(event) => edit({ name: event.target.value })} />}</Field>
      <Field label={<>{w.description} <span className="text-xs font-normal text-faint">{w.descriptionHint}</span></>}>
        {(ids) => <TextField {...ids} value={fields.description} onChange={(event) => edit({ description: event.target.value })} />}
      </Field>
      <Field label={w.type}>
        {(ids) => (
          <Select
            {...ids}
            value={fields.hookType}
            options={(['pre', 'post', 'both'] as const).map((value) => ({ value, label: w[`${value}Long`] }))}
            onValueChange={(hookType) => edit({ hookType: hookType as Fields['hookType'] })}
          />
        )}
      </Field>
      <Field label={w.onError}>
        {(ids) => (
          <Select
            {...ids}
            value={fields.onError}
            options={[{ value: 'continue', label: w.onErrorContinue }, { value: 'stop', label: w.onErrorStop }]}
            onValueChange={(onError) => edit({ onError: onError as Fields['onError'] })}
          />
        )}
      </Field>
    </div>
  )
}
