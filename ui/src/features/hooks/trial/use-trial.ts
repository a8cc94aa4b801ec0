import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toolsQuery } from '../../../shared/api/queries'
import { useWords } from '../../../shared/lib/i18n'
import { isRecord, readJson, writeJson } from '../../../shared/lib/values'
import { capturesQuery, tryScript, type Subject } from '../api'
import { phasesOf, type Context, type Fields, type Phase, type Trial } from '../model'
import { words } from '../words'
import { sample } from './samples'

/** Trying a script: on what, in which phase, and what came of it. */
export function useTrial({ script, hookType }: Fields) {
  const w = useWords(words)
  const tools = useQuery(toolsQuery).data ?? []
  const captures = useQuery(capturesQuery)
  const phases = phasesOf(hookType)
  const [wantedPhase, setPhase] = useState<Phase>()
  const phase = wantedPhase && phases.includes(wantedPhase) ? wantedPhase : (phases[0] ?? 'pre')
  const [wantedSource, setSource] = useState<'captured' | 'pasted'>()
  const list = captures.data ?? []
  const source = wantedSource ?? (list.length > 0 || captures.isPending ? 'captured' : 'pasted')
  const [wantedCapture, setCapture] = useState<string>()
  const capture = list.find(({ id }) => id === wantedCapture) ?? list[0]
  const [typed, setText] = useState<string>()
  const text = typed ?? writeJson(sample('call', phase, tools), 2)

  const trial = useMutation({
    mutationFn: async () => {
      const subject = source === 'captured' ? (capture ? { captureId: capture.id } : undefined) : pasted(text)
      if (subject === undefined) throw new Error(source === 'captured' ? w.noCaptures : w.contextBad)
      return { trial: await tryScript(script, phase, subject), script }
    },
  })
  return {
    phases,
    phase,
    setPhase,
    source,
    // Whether there are captures decides where nobody has; until that is known a choice is taken at its word.
    shownSource: captures.isPending ? wantedSource : source,
    setSource,
    captures: list,
    capturesPending: captures.isPending,
    capture,
    setCapture,
    text,
    setText,
    fill: (kind: 'call' | 'list') => setText(writeJson(sample(kind, phase, tools), 2)),
    run: () => trial.mutate(),
    running: trial.isPending,
    error: trial.error,
    result: trial.data?.trial as Trial | undefined,
    stale: trial.data !== undefined && trial.data.script !== script,
  }
}

export type Trying = ReturnType<typeof useTrial>

function pasted(text: string): Subject | undefined {
  try {
    const context: unknown = readJson(text)
    return isRecord(context) ? { context: context as Context } : undefined
  } catch {
    return undefined
  }
}
