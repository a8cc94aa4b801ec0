import { useWords } from '../../shared/lib/i18n'
import { Badge, Card, Table, type Tone } from '../../shared/ui'
import { words } from './words'

/** One line of the dry run. */
export interface PlanLine {
  name: string
  at: string
  verdict: string
  reason?: string | null
  notes: string[]
  server?: unknown
}

const tones: Record<string, Tone> = { new: 'good', exists: 'neutral', invalid: 'bad', skipped: 'neutral' }

/** What would happen to each entry, before anything does. */
export function Plan({ entries }: { entries: PlanLine[] }) {
  const w = useWords(words)
  const verdict = (word: string) => (word === 'new' || word === 'exists' || word === 'invalid' || word === 'skipped' ? w[word] : word)
  return (
    <Card flush title={w.foundTitle} className="animate-appear">
      <Table
        label={w.foundTitle}
        rows={entries}
        rowKey={({ at }) => at}
        columns={[
          { key: 'name', title: w.name, className: 'font-medium whitespace-nowrap', render: ({ name }) => name },
          { key: 'verdict', title: w.verdict, render: (line) => <Badge tone={tones[line.verdict] ?? 'neutral'}>{verdict(line.verdict)}</Badge> },
          { key: 'detail', title: w.detail, className: 'w-full', render: (line) => <Detail line={line} /> },
        ]}
      />
    </Card>
  )
}

function Detail({ line }: { line: PlanLine }) {
  const entry = line.server as { command?: string; args?: string[] | string; url?: string } | null | undefined
  const args = Array.isArray(entry?.args) ? entry.args.join(' ') : (entry?.args ?? '')
  return (
    <div className="text-muted [overflow-wrap:anywhere]">
      {line.reason && <p className={line.verdict === 'invalid' ? 'text-bad-text' : ''}>{line.reason}</p>}
      {!line.reason && entry && <code className="font-mono text-xs">{entry.url ?? `${entry.command ?? ''} ${args}`.trim()}</code>}
      {line.notes.map((note) => <p key={note} className="text-xs">{note}</p>)}
    </div>
  )
}
