import { useMutation, useQueryClient } from '@tanstack/react-query'
import { hooksQuery } from '../../shared/api/queries'
import { useWords } from '../../shared/lib/i18n'
import { readJson, writeJson } from '../../shared/lib/values'
import { Button, IconButton, Menu, useToast, type MenuItem } from '../../shared/ui'
import { importHooks } from './api'
import { edited, freshId, useDrafts } from './drafts'
import type { Fields, Hook } from './model'
import { blankScript, templates, type TemplateName } from './templates'
import { words } from './words'

/** Begins a hook, from nothing or from a template. It is a draft until it is saved. */
export function AddMenu({ onAdd }: { onAdd: (id: string) => void }) {
  const w = useWords(words)
  const { drafts, set } = useDrafts()
  const add = (fields: Partial<Fields>) => {
    const id = freshId(drafts)
    set((all) => edited(all, id, null, fields))
    onAdd(id)
  }
  const items: MenuItem[] = [
    { label: w.blank, icon: 'plus', onSelect: () => add({ script: blankScript }) },
    { kind: 'separator' },
    { kind: 'label', label: w.fromTemplate },
    ...(Object.keys(templates) as TemplateName[]).map((name): MenuItem => ({
      label: w[name],
      icon: 'code',
      onSelect: () => add({ ...templates[name], name: w[name] }),
    })),
  ]
  return <Menu items={items}><Button needs="editor" look="primary" icon="plus">{w.add}</Button></Menu>
}

/** Export and import of all hooks. */
export function MoreMenu({ hooks }: { hooks: Hook[] }) {
  const w = useWords(words)
  const toast = useToast()
  const client = useQueryClient()
  const importing = useMutation({
    mutationFn: async (file: File) => importHooks(readJson(await file.text())),
    onError: (error) => toast({ tone: 'bad', title: error instanceof SyntaxError ? w.importBad : w.failed, error }),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: hooksQuery.queryKey, exact: true })
      toast({ tone: 'good', title: w.imported(made.length) })
    },
  })
  const choose = () => {
    const input = document.createElement('input')
    input.type = 'file'
    input.accept = 'application/json,.json'
    input.addEventListener('change', () => {
      const file = input.files?.[0]
      if (file) importing.mutate(file)
    })
    input.click()
  }
  const items: MenuItem[] = [
    { label: w.exportAll, icon: 'download', disabled: hooks.length === 0, onSelect: () => download(hooks) },
    { label: w.importFile, icon: 'upload', needs: 'editor', onSelect: choose },
  ]
  return <Menu items={items}><IconButton icon="more" label={w.more} /></Menu>
}

/** A file that `POST /api/hooks/import` of any gateway takes. */
function download(hooks: Hook[]): void {
  const address = URL.createObjectURL(new Blob([writeJson(hooks, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = 'hooks.json'
  link.click()
  URL.revokeObjectURL(address)
}
