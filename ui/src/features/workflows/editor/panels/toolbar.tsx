import { Link } from '@tanstack/react-router'
import { useReactFlow } from '@xyflow/react'
import { useWords } from '../../../../shared/lib/i18n'
import { Badge, Button, Icon, IconButton, Switch, Tooltip } from '../../../../shared/ui'
import { tidyUp } from '../actions'
import type { Saving } from '../saving'
import { editor, isDirty, useEditor } from '../store'
import { useView } from '../view'
import { words } from '../words'

/** The head of the editor: name, history, tools, state, save. */
export function Toolbar({ saving, enabled, fixed }: { saving: Saving; enabled: boolean; fixed: boolean }) {
  const w = useWords(words)
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line bg-surface px-3 py-2">
      <Link to="/workflows" aria-label={w.back} className="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink">
        <Icon name="left" />
      </Link>
      <NameField />
      <DirtyBadge busy={saving.busy} />
      <div className="flex items-center gap-1 max-md:order-1 md:ml-auto">
        <HistoryButtons />
        <CanvasButtons />
      </div>
      <ActiveSwitch saving={saving} enabled={enabled} fixed={fixed} />
      <SaveButton saving={saving} fixed={fixed} />
    </header>
  )
}

function NameField() {
  const w = useWords(words)
  const name = useEditor((state) => state.doc.name)
  const edit = useEditor((state) => state.edit)
  const readOnly = useEditor((state) => state.readOnly)
  return (
    <h1 className="min-w-32 flex-1 sm:max-w-xl">
      <input
        aria-label={w.name}
        value={name}
        readOnly={readOnly}
        placeholder={w.untitled}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => edit((doc) => ({ ...doc, name: event.target.value }), 'name')}
        className="h-8 w-full rounded-md border border-transparent bg-transparent px-2 text-[15px] font-semibold placeholder:text-faint hover:border-line-strong focus:border-control"
      />
    </h1>
  )
}

function DirtyBadge({ busy }: { busy: boolean }) {
  const w = useWords(words)
  const dirty = useEditor(isDirty)
  return <Badge tone={dirty ? 'warn' : 'neutral'}>{busy ? w.saving : dirty ? w.unsaved : w.saved}</Badge>
}

function HistoryButtons() {
  const w = useWords(words)
  const { undo, redo } = editor.getState()
  const canUndo = useEditor((state) => state.history.past.length > 0)
  const canRedo = useEditor((state) => state.history.future.length > 0)
  return (
    <>
      <IconButton icon="undo" label={`${w.undo} (Ctrl Z)`} disabled={!canUndo} onClick={undo} />
      <IconButton icon="redo" label={`${w.redo} (Ctrl ⇧ Z)`} disabled={!canRedo} onClick={redo} />
      <span aria-hidden className="mx-1 h-5 w-px bg-line" />
    </>
  )
}

function CanvasButtons() {
  const w = useWords(words)
  const flow = useReactFlow()
  const set = useView((state) => state.set)
  const fixed = useEditor((state) => state.fixed)
  return (
    <>
      <IconButton icon="search" label={`${w.search} (/)`} onClick={() => set({ finder: 'search' })} />
      <IconButton needs="editor" icon="tidy" disabled={fixed} label={`${w.tidy} (T)`} onClick={() => void tidyUp().then(() => flow.fitView({ padding: 0.12, maxZoom: 1 }))} />
      <IconButton icon="history" label={w.versions} onClick={() => set({ versions: true })} />
      <IconButton icon="keyboard" label={`${w.shortcuts} (?)`} className="max-md:hidden" onClick={() => set({ sheet: true })} />
      <IconButton icon="play" label={`${w.run} (R)`} onClick={() => set({ panel: 'run', folded: false })} />
      <span aria-hidden className="mx-1 h-5 w-px bg-line max-md:hidden" />
    </>
  )
}

function ActiveSwitch({ saving, enabled, fixed }: { saving: Saving; enabled: boolean; fixed: boolean }) {
  const w = useWords(words)
  const blocked = useView((state) => state.problems.some((problem) => problem.severity === 'error'))
  return (
    <Tooltip text={!enabled && blocked ? w.activeBlocked : w.activeHint}>
      <span className="inline-flex px-1 max-md:order-1 max-md:ml-auto">
        <Switch
          needs="editor"
          checked={enabled}
          disabled={fixed || saving.busy || (!enabled && blocked)}
          onCheckedChange={(on) => void saving.turn(on)}
          label={w.active}
          showLabel
        />
      </span>
    </Tooltip>
  )
}

function SaveButton({ saving, fixed }: { saving: Saving; fixed: boolean }) {
  const w = useWords(words)
  const dirty = useEditor(isDirty)
  return (
    <Button needs="editor" look="primary" busy={saving.busy} disabled={fixed || !dirty} onClick={() => void saving.save()}>
      {w.save}
    </Button>
  )
}
