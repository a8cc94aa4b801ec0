import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { WorkflowView } from '../../../shared/api/types'
import { useLanguage, useWords } from '../../../shared/lib/i18n'
import { useToast } from '../../../shared/ui'
import { createWorkflow, getWorkflow, isGone, newerRevision, saveWorkflow, switchWorkflow } from '../api'
import { dropDraft } from './draft'
import { unreadProblems } from './problems'
import { problemSaying } from './reasons'
import { docOf, editor, isDirty } from './store'
import { words } from './words'

/** Saving and switching, and what stands in the way of it. */
export function useSaving() {
  const w = useWords(words)
  const { language } = useLanguage()
  const toast = useToast()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  const underWay = useRef(false)
  const wished = useRef(false)
  const [theirs, setTheirs] = useState<WorkflowView | null>(null)

  const keep = (view: WorkflowView) => {
    client.setQueryData(['workflows', view.id], view)
    void client.invalidateQueries({ queryKey: ['workflows'], exact: true })
  }
  const failed = (error: unknown) => toast({ tone: 'bad', error })

  /** Whether all that was typed can be read; else tells which node has what cannot. */
  const isWhole = (): boolean => {
    const [unread] = unreadProblems(editor.getState().doc.graph)
    if (unread) toast({ tone: 'bad', title: w.unreadTitle, text: problemSaying(language, unread).text })
    return unread === undefined
  }

  /** Does one thing at a time: a key that is pressed again, or held, does nothing before the first press is answered. */
  const alone = async <T>(act: () => Promise<T>): Promise<T | undefined> => {
    if (underWay.current) return undefined
    setBusy(true)
    underWay.current = true
    try {
      return await act()
    } finally {
      underWay.current = false
      setBusy(false)
    }
  }

  /** Saves over that revision; tells whether it was saved. */
  const put = async (over = editor.getState().revision): Promise<boolean> => {
    if (!isWhole()) return false
    const { id, edit, stored } = editor.getState()
    // What has no name gets one, and the field shows which.
    if (editor.getState().doc.name.trim() === '') edit((now) => ({ ...now, name: w.untitled }), 'name')
    const { doc } = editor.getState()
    try {
      const view = await saveWorkflow(id, doc, over)
      stored(doc, view.revision)
      if (editor.getState().doc === doc) dropDraft(id)
      keep(view)
      setTheirs(null)
      toast({ tone: 'good', title: w.savedToast })
      return true
    } catch (error) {
      if (isGone(error)) {
        toast({ tone: 'bad', title: w.goneTitle })
        await client.invalidateQueries({ queryKey: ['workflows', id] })
      } else if (newerRevision(error) === undefined) failed(error)
      else await getWorkflow(id).then(setTheirs, failed)
      return false
    }
  }

  /** Saves; what is changed while it does, and is to be saved too, is saved afterwards. */
  const save = async () => {
    wished.current = true
    await alone(async () => {
      do wished.current = false
      while ((await put()) && wished.current && isDirty(editor.getState()))
    })
  }

  const turn = async (on: boolean) => {
    const { id } = editor.getState()
    if (on && isDirty(editor.getState()) && !(await put())) return
    try {
      keep(await switchWorkflow(id, on))
      toast({ tone: 'good', title: on ? w.activated : w.disabled })
    } catch (error) {
      failed(error)
    }
  }

  /** Loads what somebody else saved; undo brings the own version back. */
  const takeTheirs = () => {
    if (!theirs) return
    const doc = docOf(theirs)
    editor.getState().adopt(doc, { doc, revision: theirs.revision })
    keep(theirs)
    setTheirs(null)
  }

  const saveCopy = async () => {
    if (!isWhole()) return
    const { doc, id, adopt } = editor.getState()
    try {
      const made = await createWorkflow({ ...doc, name: doc.name + w.copySuffix })
      if (theirs) {
        const other = docOf(theirs)
        adopt(other, { doc: other, revision: theirs.revision })
      }
      dropDraft(id)
      keep(made)
      setTheirs(null)
      await navigate({ to: '/workflows/$id', params: { id: made.id } })
    } catch (error) {
      failed(error)
    }
  }

  /** Makes a workflow of what is here, in place of one that was deleted. */
  const saveAnew = async () => {
    if (!isWhole()) return
    const { doc, id, revision, stored } = editor.getState()
    try {
      const made = await createWorkflow(doc)
      stored(doc, revision)
      dropDraft(id)
      keep(made)
      await navigate({ to: '/workflows/$id', params: { id: made.id } })
    } catch (error) {
      failed(error)
    }
  }

  return {
    busy,
    save,
    turn: (on: boolean) => alone(() => turn(on)),
    theirs,
    giveUp: () => setTheirs(null),
    takeTheirs,
    keepMine: () => theirs && alone(() => put(theirs.revision)),
    saveCopy: () => alone(saveCopy),
    saveAnew: () => alone(saveAnew),
  }
}

export type Saving = ReturnType<typeof useSaving>
