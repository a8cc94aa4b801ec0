import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../../shared/api/client'
import { hooksQuery } from '../../../shared/api/queries'
import { useWords } from '../../../shared/lib/i18n'
import { useToast } from '../../../shared/ui'
import { changeHook, createHook, isOutdated, readHook, removeHook, saveHook } from '../api'
import { conflicts, type Draft, dropped, edited, rebased, useDrafts } from '../drafts'
import { fieldsOf, type Fields, type Hook } from '../model'
import { moved, useCases } from '../trial/cases'
import { useEnabling } from '../trial/use-enabling'
import { words } from '../words'

const nothing: Fields = { name: '', description: '', hookType: 'pre', onError: 'continue', script: '' }

/** Editing one hook: what it holds now, and everything that can be done with it. */
export function useEditing(id: string, hook: Hook | undefined, onSaved: (id: string | undefined) => void) {
  const w = useWords(words)
  const toast = useToast()
  const client = useQueryClient()
  const { drafts, set } = useDrafts()
  const setCases = useCases((state) => state.set)
  const draft = drafts[id]
  // A draft that was there before this visit is pointed out.
  const [found, setFound] = useState(draft !== undefined && draft.base !== null)
  const [asking, ask] = useState<'discard' | 'remove'>()
  const enabling = useEnabling()
  const now = hook && fieldsOf(hook)
  const fields = draft?.fields ?? now ?? nothing
  const failed = (error: Error) => toast({ tone: 'bad', title: w.failed, error })
  const refresh = () => client.invalidateQueries({ queryKey: hooksQuery.queryKey, exact: true })

  /** Saves over what is stored, as long as nobody else changed what this page shows: then the reader decides. */
  const saveOver = async (draft: Draft, enabled: boolean | undefined): Promise<Hook> => {
    for (;;) {
      const stored = await readHook(id)
      if (conflicts(draft, fieldsOf(stored))) {
        await refresh()
        throw new Error(w.conflict)
      }
      try {
        return await saveHook(id, draft.fields, stored.version, enabled)
      } catch (error) {
        // Somebody was faster; it may be no more than another place in the list.
        if (!isOutdated(error)) throw error
      }
    }
  }

  const saving = useMutation({
    mutationFn: async (enabled: boolean | undefined) => {
      if (hook === undefined) return createHook(fields, enabled ?? false)
      if (!draft) return changeHook(id, enabled === undefined ? {} : { enabled })
      return saveOver(draft, enabled)
    },
    onError: (error) => failed(error instanceof ApiError || error instanceof Error ? error : new Error(String(error))),
    onSuccess: async (saved) => {
      if (saved.id !== id) setCases((cases) => moved(cases, id, saved.id))
      client.setQueryData(hooksQuery.queryKey, (list) => list && [...list.filter((one) => one.id !== saved.id), saved].sort((a, b) => a.executionOrder - b.executionOrder))
      set((all) => dropped(all, id))
      setFound(false)
      await refresh()
      toast({ tone: 'good', title: w.saved })
      if (saved.id !== id) onSaved(saved.id)
    },
  })
  const removing = useMutation({
    mutationFn: () => removeHook(id),
    onError: failed,
    onSuccess: async () => {
      set((all) => dropped(all, id))
      setCases((cases) => Object.fromEntries(Object.entries(cases).filter(([key]) => key !== id)))
      await refresh()
      onSaved(undefined)
    },
  })
  return {
    fields,
    found,
    asking,
    ask,
    enabling,
    dirty: draft !== undefined,
    conflict: now !== undefined && conflicts(draft, now),
    /** Whether somebody deleted the hook that these edits belong to. */
    orphan: hook === undefined && draft !== undefined && draft.base !== null,
    busy: saving.isPending || removing.isPending || enabling.checking,
    edit: (change: Partial<Fields>) => set((all) => edited(all, id, now ?? null, change)),
    /** Saves; before a script runs on requests all of its cases run. */
    save: (enabled: boolean | undefined) => {
      const go = () => saving.mutate(enabled)
      if (enabled === true) void enabling.enable(id, fields.script, go)
      else if (hook?.enabled === true) void enabling.enable(id, fields.script, go, 'save')
      else go()
    },
    askDiscard: () => ask('discard'),
    askRemove: () => ask('remove'),
    discard: () => {
      ask(undefined)
      setFound(false)
      set((all) => dropped(all, id))
      if (hook === undefined) onSaved(undefined)
    },
    remove: () => {
      ask(undefined)
      removing.mutate()
    },
    takeTheirs: () => set((all) => dropped(all, id)),
    keepMine: () => now && set((all) => rebased(all, id, now)),
  }
}

export type Editing = ReturnType<typeof useEditing>
