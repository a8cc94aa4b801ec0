import { useState } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import { writeJson } from '../../../shared/lib/values'
import { Badge, Button, EmptyState, Failure, IconButton, Notice } from '../../../shared/ui'
import { tryScript } from '../api'
import { words } from '../words'
import { added, expectedOf, removed, useCases, type Case } from './cases'
import { Changes } from './changes'
import { runCase, type CaseResult } from './use-enabling'

const none: readonly Case[] = []

/** The cases of a hook, and whether the script as it stands keeps to them. */
export function CasesPanel({ hook, script }: { hook: string; script: string }) {
  const w = useWords(words)
  const cases = useCases((state) => state.cases[hook]) ?? none
  const set = useCases((state) => state.set)
  const [results, setResults] = useState<{ script: string; by: Record<string, CaseResult> }>({ script, by: {} })
  const [busy, setBusy] = useState(false)
  const by = results.script === script ? results.by : {}
  const run = async (some: readonly Case[]) => {
    setBusy(true)
    const got: Record<string, CaseResult> = some.length === 1 ? { ...by } : {}
    for (const one of some) got[one.id] = await runCase(script, one)
    setResults({ script, by: got })
    setBusy(false)
  }
  const accept = async (one: Case) => {
    const expected = expectedOf(await tryScript(script, one.phase, { context: one.context }))
    set((all) => added(all, hook, { ...one, expected }))
    setResults(({ by: old }) => ({ script, by: { ...old, [one.id]: { ok: true } } }))
  }
  if (cases.length === 0) return <EmptyState icon="flask" title={w.noCases}>{w.noCasesText}</EmptyState>
  const done = cases.map((one) => by[one.id])
  const failing = done.filter((one) => one?.ok === false).length
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        <Button needs="editor" icon="play" busy={busy} onClick={() => void run(cases)}>{w.runAll}</Button>
        <span className="text-xs text-faint">{w.casesNote}</span>
      </div>
      {done.every(Boolean) && (failing === 0 ? <Notice tone="good">{w.allPass(cases.length)}</Notice> : <Notice tone="bad">{w.someFail(failing, cases.length)}</Notice>)}
      <ul className="flex flex-col gap-2">
        {cases.map((one) => (
          <CaseRow key={one.id} one={one} result={by[one.id]} run={() => void run([one])} accept={() => void accept(one)} remove={() => set((all) => removed(all, hook, one.id))} />
        ))}
      </ul>
    </div>
  )
}

interface CaseRowProps {
  one: Case
  result: CaseResult | undefined
  run: () => void
  accept: () => void
  remove: () => void
}

function CaseRow({ one, result, run, accept, remove }: CaseRowProps) {
  const w = useWords(words)
  const tone = result === undefined ? 'neutral' : result.ok ? 'good' : 'bad'
  return (
    <li data-case={one.name} className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-2.5">
      <div className="flex items-center gap-2 text-[13px]">
        <Badge tone={tone}>{result === undefined ? w.notRun : result.ok ? w.pass : w.fail}</Badge>
        <span className="min-w-0 truncate font-medium">{one.name}</span>
        <span className="text-xs text-faint">{w[one.phase]}</span>
        <span className="ml-auto flex">
          <IconButton needs="editor" icon="play" size="small" label={w.runCase(one.name)} onClick={run} />
          <IconButton icon="trash" size="small" label={w.removeCase(one.name)} onClick={remove} />
        </span>
      </div>
      {result?.ok === false && (
        <>
          {result.error !== undefined && <Notice tone="bad"><Failure error={result.error} /></Notice>}
          {result.finding?.verdict && (
            <p className="text-xs">
              {w.expected} <code>{writeJson(result.finding.verdict.expected)}</code> · {w.got} <code>{writeJson(result.finding.verdict.got)}</code>
            </p>
          )}
          {result.finding && result.finding.changes.length > 0 && <Changes changes={result.finding.changes} before={w.expected} after={w.got} />}
          {result.finding && <Button size="small" className="self-start" onClick={accept}>{w.accept}</Button>}
        </>
      )}
    </li>
  )
}
