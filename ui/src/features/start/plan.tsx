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
          { key: 'name', title: w.name, className: 'font-medium [overflow-wrap:anywhere] max-sm:max-w-28 sm:whitespace-nowrap', render: ({ name }) => name },
          {
            key: 'verdict',
            title: w.verdict,
            className: 'w-full',
            render: (line) => (
              <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <Badge tone={tones[line.verdict] ?? 'neutral'}>{verdict(line.verdict)}</Badge>
                <Detail line={line} />
              </div>
            ),
          },
        ]}
      />
    </Card>
  )
}

function Detail({ line }: { line: PlanLine }) {
  const entry = line.server as { command?: string; args?: string[] | string; url?: string } | null | undefined
  const w = useWords(words)
  // Of the reasons only this one has no field to name.
  const reason = line.verdict === 'exists' ? w.existsReason : line.reason
  const args = Array.isArray(entry?.args) ? entry.args.join(' ') : (entry?.args ?? '')
  return (
    <div className="min-w-0 flex-[1_1_12rem] text-muted [overflow-wrap:anywhere]">
      {reason && <p className={line.verdict === 'invalid' ? 'text-bad-text' : ''}>{reason}</p>}
      {!reason && entry && <code className="font-mono text-xs">{entry.url ?? `${entry.command ?? ''} ${args}`.trim()}</code>}
      {line.notes.map((note) => <p key={note} className="text-xs">{note}</p>)}
    </div>
  )
}
