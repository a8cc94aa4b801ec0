import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { sayingOfCode } from '../../../shared/api/failures'
import { formatBytes } from '../../../shared/lib/format'
import { useLanguage, useWords } from '../../../shared/lib/i18n'
import { Badge, Button, CopyButton, EmptyState, JsonView, Loading, Notice, Tabs, Told, type Tab } from '../../../shared/ui'
import { succeeded, type Call } from '../call/calls'
import type { Reply } from '../call/client'
import { findProblems } from '../form/form'
import { problemText } from '../form/trouble'
import { format, isObject, parse, type Json } from '../../../shared/lib/json'
import { pointer } from '../schema/value'
import { documentOf } from '../store'
import { words } from '../words'
import { AskingView } from './asking-view'
import { PartView } from './part'
import { partsOf } from './parts'
import { Progressing } from './progressing'
import { Timing } from './timing'

/** What came of the last call of a tool. */
export function ResultView({ tool, call, output }: { tool: string; call: Call | undefined; output: Json | undefined }) {
  const w = useWords(words)
  if (call === undefined) return <EmptyState icon="play" title={w.noResult}>{w.noResultText}</EmptyState>
  if (call.state === 'running') return <Progressing call={call} />
  if (call.state === 'asking' && call.asking) return <AskingView tool={tool} asking={call.asking} />
  if (call.state === 'cancelled') return <EmptyState icon="stop" title={w.cancelled}>{w.cancelledText}</EmptyState>
  if (call.reply === undefined) return <Loading />
  return (
    <div className="flex animate-fade flex-col gap-4" data-result={succeeded(call.reply) ? 'ok' : 'error'}>
      <div className="flex flex-wrap items-center gap-2">
        <Verdict reply={call.reply} />
        {call.runId !== undefined && (
          <Link to="/runs/$id" params={{ id: call.runId }} className="ml-auto text-xs text-accent-text underline">{w.openRun}</Link>
        )}
      </div>
      {call.time && <Timing time={call.time} />}
      {call.logs.length > 0 && <Logs call={call} />}
      {call.reply.kind === 'error' ? <ErrorBody reply={call.reply} /> : <ResultBody result={call.reply.result} text={call.reply.text} output={output} />}
    </div>
  )
}

function Verdict({ reply }: { reply: Reply }) {
  const w = useWords(words)
  if (reply.kind === 'error') return <Badge tone="bad">{w.refused}</Badge>
  return succeeded(reply) ? <Badge tone="good">{w.succeeded}</Badge> : <Badge tone="bad">{w.toolFailed}</Badge>
}

export function Logs({ call }: { call: Call }) {
  const w = useWords(words)
  return (
    <details open className="rounded-lg border border-line">
      <summary className="cursor-pointer px-3 py-1.5 text-xs text-muted">{w.logs}</summary>
      <ul className="max-h-40 overflow-auto border-t border-line px-3 py-2 font-mono text-xs">
        {call.logs.map((line, index) => <li key={index}><span className="text-faint">{line.level}</span> {line.text}</li>)}
      </ul>
    </details>
  )
}

function ErrorBody({ reply }: { reply: Extract<Reply, { kind: 'error' }> }) {
  const w = useWords(words)
  const { language } = useLanguage()
  const { code, message, data } = reply.error
  const name = isObject(data) && typeof data['code'] === 'string' ? data['code'] : undefined
  const details = isObject(data) && isObject(data['details']) ? data['details'] : {}
  const saying = sayingOfCode(name ?? '', message, details, language) ?? { text: message }
  return (
    <>
      <Notice tone="bad">
        <p className="font-medium">{code === 0 && reply.text === '' ? w.connection : <Told saying={saying} />}</p>
        <p className="mt-0.5 font-mono text-xs">{code === 0 ? message : `${name ? `${name} · ` : ''}${code}`}</p>
      </Notice>
      {data !== undefined && <div className="rounded-lg border border-line bg-surface p-3"><JsonView value={data} depth={3} /></div>}
      {reply.text !== '' && <Raw text={reply.text} />}
    </>
  )
}

function ResultBody({ result, text, output }: { result: Json; text: string; output: Json | undefined }) {
  const w = useWords(words)
  const parts = useMemo(() => partsOf(result), [result])
  const structured = isObject(result) ? result['structuredContent'] : undefined
  const tabs: Tab[] = [
    {
      value: 'content',
      label: w.content,
      content: (
        <div className="flex flex-col gap-3">
          {parts.length === 0 && <p className="text-[13px] text-muted">{w.noContent}</p>}
          {parts.map((part, index) => <PartView key={index} part={part} />)}
        </div>
      ),
    },
  ]
  if (structured !== undefined) {
    tabs.push({ value: 'structured', label: w.structured, content: <div className="rounded-lg border border-line bg-surface p-3"><JsonView value={structured} depth={4} /></div> })
  }
  tabs.push({ value: 'raw', label: w.raw, content: <Raw text={text} /> })
  return (
    <>
      <OutputCheck result={result} structured={structured} output={output} />
      <Tabs label={w.resultTabs} tabs={tabs} />
    </>
  )
}

/** Whether the structured content is what the tool promised. */
function OutputCheck({ result, structured, output }: { result: Json; structured: Json | undefined; output: Json | undefined }) {
  const w = useWords(words)
  const document = useMemo(() => (output === undefined ? undefined : documentOf(output)), [output])
  if (document === undefined || (isObject(result) && result['isError'] === true)) return null
  if (structured === undefined) return <Notice tone="warn">{w.outputMissing}</Notice>
  const problems = findProblems(document, structured)
  if (problems === undefined) return <Notice tone="warn">{w.outputUnread}</Notice>
  if (problems.length === 0) return <Notice tone="good">{w.outputGood}</Notice>
  return (
    <Notice tone="bad">
      <p className="font-medium">{w.outputBad}</p>
      <ul>{problems.map((problem, index) => <li key={index}><code className="text-xs">{pointer(problem.path) || '/'}</code> {problemText(w, problem)}</li>)}</ul>
    </Notice>
  )
}

const RAW_MAX = 50_000

/** The reply as it came, in lines. */
function Raw({ text }: { text: string }) {
  const w = useWords(words)
  const [shown, setShown] = useState(RAW_MAX)
  const pretty = useMemo(() => {
    try {
      return format(parse(text), 2)
    } catch {
      return text
    }
  }, [text])
  return (
    <div className="relative rounded-lg border border-line bg-sunken">
      <CopyButton text={text} className="absolute top-1.5 right-1.5" />
      {/* The text scrolls, so the keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="region" aria-label={w.raw} className="max-h-[480px] overflow-auto p-3 font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]">
        {pretty.length > shown ? `${pretty.slice(0, shown)}…` : pretty}
      </pre>
      {pretty.length > shown && <Button size="small" className="m-3" onClick={() => setShown(Infinity)}>{w.showAll(formatBytes(pretty.length))}</Button>}
    </div>
  )
}
