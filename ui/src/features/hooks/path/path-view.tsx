import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { hooksQuery, toolsQuery, workflowsQuery } from '../../../shared/api/queries'
import { useWords } from '../../../shared/lib/i18n'
import { readJson, writeJson } from '../../../shared/lib/values'
import { Button, Failure, Field, Notice, Select, TextArea } from '../../../shared/ui'
import { capturesQuery, tryHook } from '../api'
import type { Capture } from '../model'
import { callContext, sampleReply } from '../trial/samples'
import { words } from '../words'
import { RoadView } from './road-view'
import { simulate } from './simulate'

interface PathViewProps {
  server: string | undefined
  tool: string | undefined
}

/** "What runs for this tool?": one call, followed through every hook. */
export function PathView({ server, tool }: PathViewProps) {
  const w = useWords(words)
  const navigate = useNavigate()
  const tools = useQuery(toolsQuery).data ?? []
  const captures = useQuery(capturesQuery).data
  const hooks = useQuery(hooksQuery)
  const graph = useQuery(workflowsQuery).data?.find((one) => one.enabled && one.workflowType === 'tools/call')
  const chosen = tools.find((one) => one.name === tool && one.server === server) ?? tools[0]
  const capture = chosen && captures?.find((one) => one.toolName === chosen.name && one.serverName === chosen.server)
  const [typed, setTyped] = useState<string>()
  const given = useMemo(() => writeJson(argumentsOf(capture), 2), [capture])
  const text = typed ?? given
  const following = useMutation({
    mutationFn: async () => {
      let args: unknown
      try {
        args = readJson(text)
      } catch {
        throw new Error(w.argsBad)
      }
      const reply: unknown = capture?.response ?? sampleReply
      // The page may not know yet what the gateway runs by now.
      const { data = [] } = await hooks.refetch({ throwOnError: true })
      return simulate(data, callContext(chosen, args), reply, (hook, phase, context) => tryHook(hook.id, phase, context))
    },
  })
  const pick = (key: string) => {
    const next = tools[Number(key)]
    setTyped(undefined)
    following.reset()
    if (next) void navigate({ to: '/hooks', search: { view: 'path', server: next.server, tool: next.name } as never })
  }
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 p-6">
      <p className="text-muted">{w.pathAbout}</p>
      <Field label={w.tool}>
        {(ids) => <Select {...ids} placeholder={w.pickTool} value={chosen ? String(tools.indexOf(chosen)) : ''} options={tools.map((one, index) => ({ value: String(index), label: `${one.server} / ${one.name}` }))} onValueChange={pick} />}
      </Field>
      <Field label={w.args} hint={capture ? w.replyFrom : w.replySample}>
        {(ids) => <TextArea {...ids} aria-label={w.argsLabel} rows={3} value={text} onChange={(event) => setTyped(event.target.value)} className="field-sizing-content max-h-60 font-mono text-[13px]" />}
      </Field>
      <Button needs="editor" look="primary" icon="play" className="self-start" disabled={!chosen} busy={following.isPending} onClick={() => following.mutate()}>{w.follow}</Button>
      {following.error && <Notice tone="bad"><Failure error={following.error} /></Notice>}
      {following.data && (
        <RoadView
          road={following.data}
          server={chosen?.server ?? ''}
          graph={graph && <Link to="/workflows/$id" params={{ id: graph.id }} className="text-accent-text underline">{graph.name}</Link>}
        />
      )}
    </div>
  )
}

function argumentsOf(capture: Capture | undefined): unknown {
  const params = capture?.params as { arguments?: unknown } | null | undefined
  return params?.arguments ?? {}
}
