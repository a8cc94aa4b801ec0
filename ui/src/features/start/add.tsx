import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState, type DragEvent } from 'react'
import { api, unwrap } from '../../shared/api/client'
import { classes } from '../../shared/lib/classes'
import { useWords } from '../../shared/lib/i18n'
import { isHalf } from '../../shared/lib/json'
import { useSettled } from '../../shared/lib/settled'
import { Button, Failure, Notice, TextArea, useToast } from '../../shared/ui'
import { Plan } from './plan'
import { planQuery } from './queries'
import { words } from './words'

/** Servers from a client's configuration: pasted, dropped or chosen; looked at, then added. */
export function AddServers() {
  const w = useWords(words)
  const toast = useToast()
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const settled = useSettled(text)
  const half = settled.trim() !== '' && isHalf(settled)
  const plan = useQuery(planQuery(half ? '' : settled))
  const entries = settled.trim() && !half && plan.data ? plan.data : []
  const fresh = entries.filter(({ verdict }) => verdict === 'new').length
  const adding = useMutation({
    mutationFn: () => unwrap(api.POST('/api/servers/import', { params: { query: {} }, body: { text } })),
    onSuccess: (lines) => {
      toast({ tone: 'good', title: w.added(lines.filter(({ added }) => added).length) })
      setText('')
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['servers'] }),
  })
  const problem = adding.error ?? (settled.trim() && !half ? plan.error : null)
  return (
    <div className="flex flex-col gap-3">
      <Source text={text} setText={setText} />
      {half && <p role="status" className="text-[13px] text-muted">{w.half}</p>}
      {problem && <Notice tone="bad"><Failure error={problem} /></Notice>}
      {entries.length > 0 && <Plan entries={entries} />}
      {text.trim() !== '' && (
        <div className="flex flex-wrap items-center gap-2">
          {entries.length > 0 && (
            <Button needs="operator" look="primary" icon="plus" disabled={fresh === 0 || settled !== text} busy={adding.isPending} onClick={() => adding.mutate()}>
              {fresh === 0 ? w.nothingNew : w.add(fresh)}
            </Button>
          )}
          <Button look="quiet" onClick={() => setText('')}>{w.clear}</Button>
          {adding.isPending && <span role="status" className="text-[13px] text-muted">{w.adding}</span>}
        </div>
      )}
    </div>
  )
}

/** The text of the configuration, by clipboard, by drag or from a file. */
function Source({ text, setText }: { text: string; setText: (text: string) => void }) {
  const w = useWords(words)
  const [over, setOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const take = async (file: File | undefined) => {
    if (file) setText(await file.text())
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file) void take(file)
    else setText(event.dataTransfer.getData('text/plain'))
  }
  return (
    <div className="relative" role="presentation" onDragOver={(event) => { event.preventDefault(); setOver(true) }} onDragLeave={() => setOver(false)} onDrop={drop}>
      <TextArea
        aria-label={w.configLabel}
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder={w.placeholder}
        rows={7}
        className={classes('font-mono text-xs leading-5', over && 'border-accent ring-2 ring-accent')}
      />
      {over && <p className="pointer-events-none absolute inset-0 grid place-items-center rounded-md bg-accent-soft/90 font-medium text-accent-text">{w.drop}</p>}
      {text === '' && (
        <div className="absolute right-2 bottom-3.5">
          <Button size="small" icon="upload" onClick={() => picker.current?.click()}>{w.choose}</Button>
          <input ref={picker} type="file" hidden accept=".json,.jsonc,.toml,application/json" onChange={(event) => void take(event.target.files?.[0])} />
        </div>
      )}
    </div>
  )
}
