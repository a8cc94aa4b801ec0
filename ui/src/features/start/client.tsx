import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { base } from '../../shared/api/client'
import { toolsQuery } from '../../shared/api/queries'
import { useAccount, useMay } from '../../shared/lib/access'
import { classes } from '../../shared/lib/classes'
import { formatCount } from '../../shared/lib/format'
import { useLanguage, useWords } from '../../shared/lib/i18n'
import { CopyButton, Icon, Notice, Spinner, Tabs } from '../../shared/ui'
import { KEY, snippets, type Snippet } from './snippets'
import { words } from './words'

/** What to copy into a client, and the sign that its first call came through. */
export function Client({ calls }: { calls: number }) {
  const w = useWords(words)
  const tools = useQuery(toolsQuery)
  const needsKey = Boolean(useAccount().name)
  const mayMake = useMay('operator')
  const all = snippets(base, tools.data?.[0], needsKey)
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">{w.clientText}</p>
      {needsKey && <Notice tone="info" action={mayMake && <Link to="/settings" className="font-medium whitespace-nowrap underline underline-offset-2">{w.keys}</Link>}>{w.keyText(KEY)}</Notice>}
      <div className="rounded-xl border border-line bg-surface px-4 pt-1 pb-4">
        <Tabs label={w.clients} tabs={all.map((snippet) => ({ value: snippet.id, label: snippet.client, content: <Code snippet={snippet} /> }))} />
      </div>
      <FirstCall calls={calls} />
    </div>
  )
}

function Code({ snippet }: { snippet: Snippet }) {
  const w = useWords(words)
  return (
    <>
      <p className="mb-2 text-[13px] text-muted">{snippet.file ? w.inFile(snippet.file) : w.inTerminal}</p>
      <div className="relative">
        {/* The block scrolls sideways, so the keyboard must reach it. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <pre tabIndex={0} className="overflow-x-auto rounded-lg bg-sunken py-3 pr-12 pl-3.5 font-mono text-xs leading-5">{snippet.text}</pre>
        <CopyButton text={snippet.text} className="absolute! top-1.5 right-1.5" />
      </div>
    </>
  )
}

function FirstCall({ calls }: { calls: number }) {
  const { language } = useLanguage()
  const w = useWords(words)
  const arrived = calls > 0
  return (
    <div
      role="status"
      data-arrived={arrived}
      className={classes('flex flex-wrap items-center gap-3 rounded-xl border px-4 py-3 transition-colors', arrived ? 'border-good bg-good-soft text-good-text' : 'border-line-strong border-dashed')}
    >
      {arrived ? <Icon name="check" size={18} /> : <span className="text-accent-text"><Spinner size={16} /></span>}
      <div className="min-w-0 flex-1">
        <p className="font-medium">{arrived ? w.arrived : w.waiting}</p>
        <p className={arrived ? 'text-[13px]' : 'text-[13px] text-muted'}>{arrived ? w.arrivedHint(w.calls(calls, formatCount(calls, language))) : w.waitingHint}</p>
      </div>
      <Link to={arrived ? '/' : '/tools'} className="inline-flex items-center gap-1.5 rounded-md font-medium text-accent-text underline-offset-4 hover:underline">
        {arrived ? w.dashboard : w.playground}
        <Icon name="arrow" size={15} />
      </Link>
    </div>
  )
}
