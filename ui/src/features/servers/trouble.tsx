import { sayingOfDown } from '../../shared/api/down'
import { useLogs } from '../../shared/api/servers'
import type { ServerView } from '../../shared/api/types'
import { hintFor, hintWords } from '../../shared/lib/hints'
import { useLanguage, useWords } from '../../shared/lib/i18n'
import { Notice, Told } from '../../shared/ui'
import { words } from './words'

/** What the server wrote last, and while it does not run, why and what usually helps. */
export function Trouble({ server }: { server: ServerView }) {
  const running = server.status === 'running'
  // Of a server that runs the last lines are news, not urgent ones.
  const { data: lines = [] } = useLogs(server.name, running ? 10_000 : 2000)
  const tail = lines.slice(running ? -2 : -4)
  if (running && tail.length === 0) return null
  return (
    <div className="flex flex-col gap-2 px-4 pb-4">
      {!running && <Reason server={server} lines={lines} />}
      {tail.length > 0 && <Tail lines={tail} />}
    </div>
  )
}

function Reason({ server, lines }: { server: ServerView; lines: readonly string[] }) {
  const w = useWords(words)
  const { language } = useLanguage()
  const hints = useWords(hintWords)
  const hint = hintFor(server.lastError, lines)
  return (
    <>
      {server.lastError && <Notice tone="bad"><Told saying={sayingOfDown(server.lastError, server.exitCode, language)} /></Notice>}
      {hint && <Notice tone="info"><b className="font-semibold">{w.hint}: </b>{hints[hint]}</Notice>}
    </>
  )
}

function Tail({ lines }: { lines: readonly string[] }) {
  const w = useWords(words)
  return (
    <div role="group" aria-label={w.lastLines} className="rounded-lg bg-sunken px-3 py-2">
      <p className="mb-1 text-xs text-faint">{w.lastLines}</p>
      {lines.map((line, at) => <p key={at} title={line} className="truncate font-mono text-xs leading-5">{line}</p>)}
    </div>
  )
}
