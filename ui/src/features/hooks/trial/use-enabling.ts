import { useState } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import { useToast } from '../../../shared/ui'
import { tryScript } from '../api'
import { words } from '../words'
import { judge, useCases, type Case, type Finding } from './cases'

/** What came of a case: it holds, or where it does not. */
export type CaseResult = { ok: true } | { ok: false; finding?: Finding; error?: unknown }

/** Runs one case against a script. */
export async function runCase(script: string, one: Case): Promise<CaseResult> {
  try {
    const finding = judge(one.expected, await tryScript(script, one.phase, { context: one.context }))
    return finding ? { ok: false, finding } : { ok: true }
  } catch (error) {
    return { ok: false, error }
  }
}

interface Question {
  /** Whether the hook is about to be enabled, or is and gets another script. */
  kind: 'enable' | 'save'
  failing: number
  of: number
  go: () => void
}

/** Letting a script loose on requests: all of its cases run first, and when one fails the reader is asked. */
export function useEnabling() {
  const w = useWords(words)
  const toast = useToast()
  const [checking, setChecking] = useState(false)
  const [question, setQuestion] = useState<Question>()
  const enable = async (hook: string, script: string, go: () => void, kind: Question['kind'] = 'enable') => {
    const cases = useCases.getState().cases[hook] ?? []
    setChecking(true)
    const results: CaseResult[] = []
    for (const one of cases) results.push(await runCase(script, one))
    setChecking(false)
    const failing = results.filter((one) => !one.ok).length
    if (failing > 0) return setQuestion({ kind, failing, of: cases.length, go })
    if (cases.length > 0) toast({ tone: 'good', title: w.allPass(cases.length) })
    go()
  }
  return { checking, question, enable, answer: (yes: boolean) => {
    setQuestion(undefined)
    if (yes) question?.go()
  } }
}

export type Enabling = ReturnType<typeof useEnabling>
