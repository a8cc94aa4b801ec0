import { useQuery } from '@tanstack/react-query'
import { useBlocker, useParams } from '@tanstack/react-router'
import { ReactFlowProvider } from '@xyflow/react'
import { useEffect, useId } from 'react'
import { hooksQuery } from '../../../shared/api/queries'
import type { WorkflowView } from '../../../shared/api/types'
import { useMay } from '../../../shared/lib/access'
import { formatMoment } from '../../../shared/lib/format'
import { useLanguage, useWords } from '../../../shared/lib/i18n'
import { Button, ConfirmDialog, ErrorState, Loading, Notice, Page } from '../../../shared/ui'
import '../../../shared/ui/graph/flow.css'
import { isFixed, isGone, nodeTypesQuery, workflowQuery } from '../api'
import { words as pageWords } from '../words'
import { Canvas } from './canvas'
import { useClipboardKeys } from './clipboard-events'
import { dropDraft, dropOffered, findDraft, keepDraft } from './draft'
import { CanvasMenu } from './panels/canvas-menu'
import { ConflictDialog } from './panels/conflict'
import { NextDialog, PickerPopover, SearchDialog } from './panels/find-dialogs'
import { ConnectionHint } from './panels/hint'
import { Palette } from './panels/palette'
import { ShortcutSheet } from './panels/sheet'
import { SidePanel } from './panels/side'
import { Toolbar } from './panels/toolbar'
import { VersionsDialog } from './panels/versions'
import { ZoomButtons } from './panels/zoom'
import { shownRun } from './run-store'
import type { NodeType } from './rules'
import { type Saving, useSaving } from './saving'
import { useShortcuts } from './shortcuts'
import { docOf, editor, isDirty, useEditor } from './store'
import { useProblems } from './use-problems'
import { useView, view } from './view'
import { words } from './words'

/** The editor of one workflow. */
export default function EditorPage() {
  const { id } = useParams({ from: '/workflows/$id' })
  const workflow = useQuery(workflowQuery(id))
  const types = useQuery(nodeTypesQuery)
  const mayEdit = useMay('editor')
  const { title } = useWords(pageWords)
  const fixed = workflow.data !== undefined && isFixed(workflow.data)
  useEffect(() => editor.setState({ readOnly: !mayEdit || fixed, fixed }), [mayEdit, fixed])
  const loaded = useLoad(id, workflow.data, types.data)
  const error = workflow.error ?? types.error
  if (error && !workflow.data) return <Page title={title}><ErrorState error={error} retry={() => void workflow.refetch()} /></Page>
  if (!workflow.data || !types.data || !loaded) return <Loading />
  return (
    <ReactFlowProvider key={id}>
      <Editor workflow={workflow.data} gone={isGone(workflow.error)} />
    </ReactFlowProvider>
  )
}

/** Brings a workflow into the editor, and finds the draft that was left of it. */
function useLoad(id: string, workflow: WorkflowView | undefined, types: readonly NodeType[] | undefined): boolean {
  // A page that is hidden while somebody signs in again goes on with what it has; one that is opened later begins anew.
  const visit = `${useId()} ${id}`
  const loaded = useView((state) => state.visit === visit)
  useEffect(() => {
    if (!workflow || !types || loaded) return
    editor.getState().load(workflow, types)
    shownRun.getState().show(null, { nodes: [], edges: [] }, [])
    const draft = findDraft(id, docOf(workflow)) ?? null
    view.getState().set({ picker: null, menu: null, finder: null, versions: false, panel: 'inspector', draft, visit })
  }, [id, visit, loaded, workflow, types])
  return loaded
}

function Editor({ workflow, gone }: { workflow: WorkflowView; gone: boolean }) {
  const saving = useSaving()
  useProblems()
  useModuleNames()
  useDraftKeeping()
  useClipboardKeys()
  useShortcuts(() => void (isDirty(editor.getState()) && saving.save()))
  const newer = useNewer(workflow) && !saving.busy
  const title = useEditor((state) => `${isDirty(state) ? '• ' : ''}${state.doc.name}`)
  useEffect(() => {
    document.title = `${title} · Lockgate`
  }, [title])
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Toolbar saving={saving} enabled={workflow.enabled} fixed={isFixed(workflow)} />
      <Notices newer={newer} fixed={isFixed(workflow)} gone={gone} saving={saving} />
      <div className="flex min-h-0 flex-1 max-md:flex-col">
        <Palette />
        <div className="relative min-h-0 min-w-0 flex-1">
          <Canvas />
          <ZoomButtons />
          <ConnectionHint />
        </div>
        <SidePanel enabled={workflow.enabled} />
      </div>
      <Dialogs saving={saving} />
    </div>
  )
}

function Dialogs({ saving }: { saving: Saving }) {
  return (
    <>
      <SearchDialog />
      <NextDialog />
      <PickerPopover />
      <CanvasMenu />
      <ShortcutSheet />
      <VersionsDialog />
      <ConflictDialog saving={saving} />
      <LeaveDialog />
    </>
  )
}

/** Takes over what somebody else saved while nothing was changed here; else tells that there is something newer. */
function useNewer(workflow: WorkflowView): boolean {
  const revision = useEditor((state) => state.revision)
  const dirty = useEditor(isDirty)
  const isNewer = workflow.revision > revision
  useEffect(() => {
    const { types, load } = editor.getState()
    if (isNewer && !dirty) load(workflow, types)
  }, [isNewer, dirty, workflow])
  return isNewer && dirty
}

/** Tells the canvas what the hooks are called that nodes use as modules. */
function useModuleNames(): void {
  const { data: hooks } = useQuery(hooksQuery)
  useEffect(() => {
    if (hooks) view.getState().set({ modules: new Map(hooks.map(({ id, name }) => [id, name])) })
  }, [hooks])
}

/** Keeps what is not saved in the browser, shortly after every change and when the page goes away. */
function useDraftKeeping(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    // The page may be gone from the editor's state when the last draft is kept.
    const { id } = editor.getState()
    let seen = editor.getState().doc
    const keep = () => {
      clearTimeout(timer)
      timer = undefined
      const { doc, revision } = editor.getState()
      if (isDirty(editor.getState())) keepDraft(id, doc, revision)
      else dropDraft(id)
    }
    const leave = editor.subscribe(({ doc }) => {
      if (doc === seen) return
      seen = doc
      clearTimeout(timer)
      timer = setTimeout(keep, 250)
    })
    const flush = () => timer !== undefined && keep()
    // Another tab may have dropped the draft of this one.
    const hide = () => (isDirty(editor.getState()) ? keep() : flush())
    window.addEventListener('pagehide', hide)
    return () => {
      flush()
      leave()
      window.removeEventListener('pagehide', hide)
    }
  }, [])
}

function Notices({ newer, fixed, gone, saving }: { newer: boolean; fixed: boolean; gone: boolean; saving: Saving }) {
  const w = useWords(words)
  const { language } = useLanguage()
  const readOnly = useEditor((state) => state.readOnly)
  // Where nothing can be changed a draft could only be dropped.
  const offered = useView((state) => (readOnly ? null : state.draft))
  const set = useView((state) => state.set)
  const restore = () => {
    if (!offered) return
    editor.getState().adopt(offered.doc)
    // Saving over what somebody saved meanwhile must ask, so the draft keeps the revision that it began with.
    editor.setState({ revision: offered.revision })
    // From now on it is a draft of this tab.
    dropOffered(offered)
    keepDraft(editor.getState().id, offered.doc, offered.revision)
    set({ draft: null })
  }
  const drop = () => {
    if (offered) dropOffered(offered)
    set({ draft: null })
  }
  const looking = !useMay('editor') && !fixed
  if (!offered && !newer && !fixed && !gone && !looking) return null
  return (
    <div className="flex flex-col gap-1 border-b border-line bg-surface px-3 py-2">
      {fixed && <Notice tone="info">{w.fixed}</Notice>}
      {looking && <Notice tone="info">{w.looking}</Notice>}
      {gone && (
        <Notice tone="bad" action={<Button needs="editor" size="small" busy={saving.busy} onClick={() => void saving.saveAnew()}>{w.goneSave}</Button>}>
          <strong className="font-semibold">{w.lead(w.goneTitle)}</strong>{w.goneText}
        </Notice>
      )}
      {offered && (
        <Notice
          tone="info"
          action={
            <span className="flex gap-2">
              <Button size="small" look="primary" onClick={restore}>{w.draftRestore}</Button>
              <Button size="small" onClick={drop}>{w.draftDrop}</Button>
            </span>
          }
        >
          <strong className="font-semibold">{w.lead(w.draftTitle)}</strong>{w.draftText(formatMoment(offered.at, language))}
        </Notice>
      )}
      {newer && <Notice tone="warn"><strong className="font-semibold">{w.lead(w.newerTitle)}</strong>{w.newerText}</Notice>}
    </div>
  )
}

/** Asks before unsaved changes are left behind. */
function LeaveDialog() {
  const w = useWords(words)
  const dirty = useEditor(isDirty)
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty(editor.getState()) && current.pathname !== next.pathname,
    enableBeforeUnload: dirty,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <ConfirmDialog open onOpenChange={blocker.reset} title={w.leaveTitle} description={w.leaveText} confirm={w.leave} danger onConfirm={blocker.proceed} />
  )
}
