import { useCallback, useDeferredValue, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { base } from '../../shared/api/client'
import { useAccount } from '../../shared/lib/access'
import { useWords } from '../../shared/lib/i18n'
import { Button, CodeEditor, IconButton, Kbd, Notice, useCopy, useToast } from '../../shared/ui'
import { useCalls } from './call/calls'
import { curl } from './call/curl'
import { findProblems, SchemaForm } from './form/form'
import { jsonTrouble, problemText } from './form/trouble'
import { isObject, JsonError } from '../../shared/lib/json'
import type { SchemaDocument } from './schema/document'
import { pointer, type Value } from './schema/value'
import { argumentsOf, firstForm, toForm, toJson, usePlayground, type FormState } from './store'
import type { Tool } from './tools'
import { Choices } from '../../shared/ui/choices'
import { words } from './words'

type Ready = { json: Value; drafts: number; error?: undefined } | { error: JsonError; json?: undefined; drafts: 0 }

function ready(form: FormState): Ready {
  try {
    const { json, drafts } = argumentsOf(form)
    return { json, drafts: drafts.length }
  } catch (error) {
    if (error instanceof JsonError) return { error, drafts: 0 }
    throw error
  }
}

/** The arguments of a call, as a form or as JSON, and the button that makes the call. */
export function Arguments({ tool, document }: { tool: Tool; document: SchemaDocument }) {
  const w = useWords(words)
  const toast = useToast()
  const put = useCopy()
  const needsKey = Boolean(useAccount().name)
  const change = usePlayground((state) => state.change)
  const stored = usePlayground((state) => state.forms[tool.key])
  const first = useMemo(() => firstForm(tool, document), [tool, document])
  const form = stored ?? first
  const call = useCalls((state) => state.calls[tool.key])
  const run = useCalls((state) => state.run)
  const cancel = useCalls((state) => state.cancel)
  const [tried, setTried] = useState(false)
  const [starts, setStarts] = useState(0)
  const late = useDeferredValue(form)
  const state = useMemo(() => ready(late), [late])
  const problems = useMemo(() => (state.json === undefined ? [] : findProblems(document, state.json)), [document, state])
  const update = useCallback((alter: (form: FormState) => Partial<FormState>) => change(tool.key, alter, first), [change, first, tool.key])

  const args = () => {
    const now = ready(usePlayground.getState().forms[tool.key] ?? first)
    const trouble = now.error ? jsonTrouble(w, now.error) : now.drafts > 0 ? w.draftStop : !isObject(now.json) ? w.rootObject : undefined
    if (trouble === undefined && now.json !== undefined) return argumentsOf(usePlayground.getState().forms[tool.key] ?? first).json
    toast({ tone: 'bad', title: w.jsonStop, text: trouble ?? '' })
    return undefined
  }
  const start = () => {
    setTried(true)
    const json = args()
    if (json !== undefined) void run(tool, json)
  }
  const copy = async () => {
    const json = args()
    if (json === undefined) return
    if (await put(curl(base.href, tool, json, needsKey))) toast({ tone: 'good', title: w.curlCopied, ...(needsKey && { text: w.curlKey }) })
  }
  const startOver = () => {
    setStarts(starts + 1)
    update(() => first)
  }
  const switchTo = (mode: string) => {
    try {
      update(mode === 'json' ? toJson : toForm)
    } catch (error) {
      if (error instanceof JsonError) toast({ tone: 'bad', title: w.jsonStop, text: jsonTrouble(w, error) })
    }
  }
  const running = call?.state === 'running' || call?.state === 'asking'
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.defaultPrevented && !running) start()
  })
  useEffect(() => {
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return (
    <section
      aria-labelledby="arguments-title"
      className="mb-5 flex flex-col rounded-xl border border-line bg-surface shadow-card"
    >
      <div className="flex min-h-11 items-center gap-2 border-b border-line px-4 py-1.5">
        <h3 id="arguments-title" className="mr-auto text-[13px] font-semibold">{w.arguments}</h3>
        <IconButton icon="restart" size="small" label={w.reset} onClick={startOver} />
        <Choices label={w.view} value={form.mode} options={[['form', w.form], ['json', w.json]]} onChange={switchTo} />
      </div>
      <div className="p-4">
        {form.mode === 'form' ? (
          <SchemaForm key={starts} document={document} form={form} update={update} problems={problems ?? []} strict={tried} labelledBy="arguments-title" />
        ) : (
          <JsonView form={form} state={state} update={update} submit={start} />
        )}
        {problems === undefined && <div className="mt-4"><Notice tone="warn">{w.unreadable}</Notice></div>}
        {form.mode === 'json' && problems !== undefined && problems.length > 0 && (
          <ul className="mt-3 flex flex-col gap-1 text-xs text-bad-text">
            {problems.map((problem, index) => (
              <li key={index}><code>{pointer(problem.path) || '/'}</code> {problemText(w, problem)}</li>
            ))}
          </ul>
        )}
      </div>
      <RunBar running={running} problems={problems?.length ?? 0} start={start} cancel={() => cancel(tool.key)} copy={() => void copy()} />
    </section>
  )
}

interface JsonViewProps {
  form: FormState
  state: Ready
  update: (alter: (form: FormState) => Partial<FormState>) => void
  submit: () => void
}

function JsonView({ form, state, update, submit }: JsonViewProps) {
  const w = useWords(words)
  const diagnostics = useMemo(
    () => (state.error ? [{ line: state.error.line, column: state.error.column, message: jsonTrouble(w, state.error) }] : []),
    [state.error, w],
  )
  return (
    <>
      <CodeEditor
        language="json"
        label={w.jsonLabel}
        value={form.text}
        onChange={(text) => update(() => ({ text }))}
        onSubmit={submit}
        diagnostics={diagnostics}
        className="h-80"
      />
      {state.error && <p className="mt-1.5 text-xs text-bad-text">{jsonTrouble(w, state.error)}</p>}
    </>
  )
}

interface RunBarProps {
  running: boolean
  problems: number
  start: () => void
  cancel: () => void
  copy: () => void
}

function RunBar({ running, problems, start, cancel, copy }: RunBarProps) {
  const w = useWords(words)
  return (
    <div className="sticky bottom-0 flex flex-wrap items-center gap-2 rounded-b-xl border-t border-line bg-surface px-4 py-2.5">
      {running ? (
        <Button look="danger" icon="stop" onClick={cancel}>{w.cancel}</Button>
      ) : (
        <Button look="primary" icon="play" onClick={start}>{w.run}</Button>
      )}
      {!running && <span className="hidden items-center gap-1 text-xs text-faint sm:flex"><Kbd>Ctrl</Kbd><Kbd>↵</Kbd></span>}
      {problems > 0 && <span title={w.sendAnyway} className="text-xs text-warn-text">{w.problems(problems)}</span>}
      <Button look="quiet" size="small" icon="copy" className="ml-auto" onClick={copy}>{w.curl}</Button>
    </div>
  )
}
