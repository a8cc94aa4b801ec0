import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, type ReactNode } from 'react'
import { api, unwrap } from '../../shared/api/client'
import { useWords } from '../../shared/lib/i18n'
import { writeJson } from '../../shared/lib/values'
import { Badge, Button, Card, Failure, useToast } from '../../shared/ui'
import { bring, type Line } from './bring'
import { makeBundle, type Bundle } from './bundle'
import { words } from './words'

/** Brings hooks, activities and workflows out and in, and servers in. */
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
  const [hooks, activities, workflows] = await Promise.all([unwrap(api.GET('/api/hooks')), unwrap(api.GET('/api/activities')), unwrap(api.GET('/api/workflows'))])
  const own = workflows.filter(({ source }) => source !== 'config')
  const exports = own.map(({ id }) => unwrap(api.GET('/api/workflows/{id}/export', { params: { path: { id } } })))
  return makeBundle(hooks, activities, await Promise.all(exports))
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
      toast({ tone: 'good', title: w.exported(bundle.hooks.length, bundle.activities?.length ?? 0, bundle.workflows.length) })
    },
    onError: (error) => toast({ tone: 'bad', title: w.exportFailed, error }),
  })
  return (
    <Side title={w.exportTitle} text={w.exportText}>
      <Button icon="download" busy={exporting.isPending} onClick={() => exporting.mutate()}>{w.exportButton}</Button>
    </Side>
  )
}

function Import() {
  const w = useWords(words)
  const toast = useToast()
  const queries = useQueryClient()
  const picker = useRef<HTMLInputElement>(null)
  const importing = useMutation({
    mutationFn: async (file: File) => {
      const lines = await bring(await file.text())
      if (!lines) throw new Error(w.notKnown)
      return lines
    },
    onSuccess: (lines) => {
      const count = (outcome: Line['outcome']) => lines.filter((line) => line.outcome === outcome).length
      const disabled = lines.some(({ kind, outcome }) => kind === 'workflow' && outcome === 'imported')
      toast({ tone: count('refused') > 0 ? 'bad' : 'good', title: w.summary(count('imported'), count('exists'), count('refused')), ...(disabled && { text: w.importedDisabled }) })
    },
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
      {importing.data && <Report lines={importing.data} />}
    </Side>
  )
}

const tones = { imported: 'good', exists: 'neutral', refused: 'bad' } as const

/** What became of each entry of a file. */
function Report({ lines }: { lines: Line[] }) {
  const w = useWords(words)
  return (
    <ul aria-label={w.report} className="w-full divide-y divide-line rounded-lg border border-line text-[13px]">
      {lines.map(({ kind, name, outcome, error, left }, at) => (
        <li key={at} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
          <Badge tone={tones[outcome]}>{w[outcome]}</Badge>
          <span className="text-muted">{w[kind]}</span>
          <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{name}</span>
          {error !== undefined && <span className={`w-full [overflow-wrap:anywhere] ${outcome === 'refused' ? 'text-bad-text' : 'text-muted'}`}><Failure error={error} /></span>}
          {outcome === 'imported' && left && left.length > 0 && <span className="w-full text-muted">{w.headersLeft(left.join(', '))}</span>}
        </li>
      ))}
    </ul>
  )
}
