import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, type ReactNode } from 'react'
import { api, unwrap } from '../../shared/api/client'
import { useWords } from '../../shared/lib/i18n'
import { writeJson } from '../../shared/lib/values'
import { Button, Card, useToast } from '../../shared/ui'
import { freshHooks, makeBundle, recognise, type Bundle } from './bundle'
import { words } from './words'

/** Brings hooks and workflows out and in, and servers in. */
export function Move() {
  const w = useWords(words)
  return (
    <Card title={w.move}>
      <div className="grid gap-6 md:grid-cols-2">
        <Export />
        <Import />
      </div>
    </Card>
  )
}

function Side({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-3">
      <div>
        <h3 className="font-medium">{title}</h3>
        <p className="mt-0.5 text-[13px] text-muted">{text}</p>
      </div>
      {children}
    </div>
  )
}

async function gather(): Promise<Bundle> {
  const [hooks, workflows] = await Promise.all([unwrap(api.GET('/api/hooks')), unwrap(api.GET('/api/workflows'))])
  const exports = workflows.map(({ id }) => unwrap(api.GET('/api/workflows/{id}/export', { params: { path: { id } } })))
  return makeBundle(hooks, await Promise.all(exports))
}

function download(name: string, value: unknown): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([writeJson(value, 2)], { type: 'application/json' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

function Export() {
  const w = useWords(words)
  const toast = useToast()
  const exporting = useMutation({
    mutationFn: gather,
    onSuccess: (bundle) => {
      download(`lockgate-${new Date().toISOString().slice(0, 10)}.json`, bundle)
      toast({ tone: 'good', title: w.exported(bundle.hooks.length, bundle.workflows.length) })
    },
    onError: (error) => toast({ tone: 'bad', title: w.exportFailed, error }),
  })
  return (
    <Side title={w.exportTitle} text={w.exportText}>
      <Button icon="download" busy={exporting.isPending} onClick={() => exporting.mutate()}>{w.exportButton}</Button>
    </Side>
  )
}

async function bring(text: string, unknown: string): Promise<{ hooks: number; workflows: number; servers: number }> {
  const content = recognise(text)
  if (content.kind === 'unknown') throw new Error(unknown)
  if (content.kind === 'servers') {
    const lines = await unwrap(api.POST('/api/servers/import', { params: { query: {} }, body: { text } }))
    return { hooks: 0, workflows: 0, servers: lines.filter(({ added }) => added).length }
  }
  const present = await unwrap(api.GET('/api/hooks'))
  const hooks = freshHooks(content.bundle.hooks, present.map(({ name }) => name))
  if (hooks.length > 0) await unwrap(api.POST('/api/hooks/import', { body: hooks }))
  for (const workflow of content.bundle.workflows) {
    await unwrap(api.POST('/api/workflows/import', { body: { ...workflow, enabled: false } }))
  }
  return { hooks: hooks.length, workflows: content.bundle.workflows.length, servers: 0 }
}

function Import() {
  const w = useWords(words)
  const toast = useToast()
  const queries = useQueryClient()
  const picker = useRef<HTMLInputElement>(null)
  const importing = useMutation({
    mutationFn: async (file: File) => bring(await file.text(), w.notKnown),
    onSuccess: ({ hooks, workflows, servers }) =>
      toast({ tone: 'good', title: w.imported(hooks, workflows, servers), ...(workflows > 0 && { text: w.importedDisabled }) }),
    onError: (error) => toast({ tone: 'bad', title: w.importFailed, error }),
    onSettled: () => queries.invalidateQueries(),
  })
  const take = (file: File | undefined) => {
    if (file) importing.mutate(file)
    if (picker.current) picker.current.value = ''
  }
  return (
    <Side title={w.importTitle} text={w.importText}>
      <Button needs="editor" icon="upload" busy={importing.isPending} onClick={() => picker.current?.click()}>{w.importButton}</Button>
      <input ref={picker} type="file" hidden aria-label={w.importTitle} accept=".json,.jsonc,.toml,application/json" onChange={(event) => take(event.target.files?.[0])} />
    </Side>
  )
}
