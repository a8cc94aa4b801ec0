import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toolsQuery } from '../../../../shared/api/queries'
import type { Run } from '../../../../shared/lib/run'
import { apart } from '../../../../shared/lib/apart'
import { formatMoment } from '../../../../shared/lib/format'
import { useLanguage, useWords } from '../../../../shared/lib/i18n'
import { readJson, writeJson } from '../../../../shared/lib/values'
import { Button, Failure, Field, Notice, Select, TextArea } from '../../../../shared/ui'
import { type Capture, capturesQuery, executeWorkflow } from '../../api'
import { editor, useEditor } from '../store'
import { words } from '../words'

const TYPED = 'typed'

/** One request through the active workflow, with a captured or a typed input. */
export function RunForm({ onRun }: { onRun: (run: Run) => void }) {
  const w = useWords(words)
  const client = useQueryClient()
  const isCall = useEditor((state) => state.doc.workflowType === 'tools/call')
  const [tool, setTool] = useState('')
  const [input, setInput] = useState('{}')
  const [captured, setCaptured] = useState(TYPED)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const bad = isCall && parsed(input) === undefined
  const take = (capture: Capture) => {
    setTool(keyOf(capture.serverName ?? '', capture.toolName ?? ''))
    setInput(writeJson(argumentsOf(capture), 2))
  }
  const type = (text: string) => {
    setInput(text)
    setCaptured(TYPED)
  }
  const run = async () => {
    const [server, name] = readJson(tool || '["",""]') as [string, string]
    const params = isCall ? { name, arguments: parsed(input) } : {}
    setBusy(true)
    setError(undefined)
    try {
      const id = editor.getState().id
      onRun(await executeWorkflow(id, { request: { params }, ...(server ? { serverName: server } : {}) }))
      void client.invalidateQueries({ queryKey: ['run-list'] })
    } catch (cause) {
      setError(cause)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="flex flex-col gap-3" onSubmit={(event) => (event.preventDefault(), void run())}>
      {isCall && (
        <>
          <CaptureField value={captured} onChange={setCaptured} onTake={take} />
          <ToolField value={tool} onChange={setTool} />
          <Field label={w.runArguments} error={bad && w.badJson}>
            {(ids) => <TextArea {...ids} rows={5} className="font-mono text-xs" value={input} onChange={(event) => type(event.target.value)} />}
          </Field>
        </>
      )}
      <Button needs="editor" type="submit" look="primary" icon="play" busy={busy} disabled={bad || (isCall && tool === '')}>
        {busy ? w.runStarting : w.runStart}
      </Button>
      <p className="text-xs text-faint">{w.runSide}</p>
      {error !== undefined && <Notice tone="bad"><Failure error={error} /></Notice>}
    </form>
  )
}

const argumentsOf = ({ params }: Capture): unknown => (params as { arguments?: unknown } | null)?.arguments ?? {}

const keyOf = (server: string, name: string) => writeJson([server, name])

function parsed(text: string): unknown {
  try {
    return readJson(text) as unknown
  } catch {
    return undefined
  }
}

function ToolField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const w = useWords(words)
  const { data: tools } = useQuery(toolsQuery)
  const options = (tools ?? []).map((tool) => ({ value: keyOf(tool.server, tool.name), label: `${tool.server} / ${tool.name}` }))
  return (
    <Field label={w.runTool}>
      {(ids) => <Select {...ids} value={value} onValueChange={onChange} options={options} placeholder={w.runToolHint} />}
    </Field>
  )
}

interface CaptureFieldProps {
  value: string
  onChange: (id: string) => void
  onTake: (capture: Capture) => void
}

function CaptureField({ value, onChange, onTake }: CaptureFieldProps) {
  const w = useWords(words)
  const { language } = useLanguage()
  const { data } = useQuery(capturesQuery)
  const captures = (data ?? []).filter((capture) => capture.method === 'tools/call' && capture.params !== null).slice(0, 50)
  const choose = (id: string) => {
    onChange(id)
    const capture = captures.find((one) => one.id === id)
    if (capture) onTake(capture)
  }
  const label = ({ at, toolName, serverName }: Capture) => `${formatMoment(at, language)} ${serverName ?? ''} / ${toolName ?? ''}`
  // Within one second a tool is called more than once, with other arguments.
  const labels = apart(captures, label, (capture) => writeJson(argumentsOf(capture)).slice(0, 200), 40)
  const options = [{ value: TYPED, label: w.runCapturedNone }, ...captures.map((capture, at) => ({ value: capture.id, label: labels[at] }))]
  return (
    <Field label={w.runCaptured} hint={value === TYPED ? undefined : w.runMasked}>
      {(ids) => <Select {...ids} value={value} onValueChange={choose} options={options} />}
    </Field>
  )
}
