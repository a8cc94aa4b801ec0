import { useQuery } from '@tanstack/react-query'
import { workflowsQuery } from '../../../shared/api/queries'
import { apart } from '../../../shared/lib/apart'
import { useWords } from '../../../shared/lib/i18n'
import type { Run } from '../../../shared/lib/run'
import { ALL, IconButton, inBar, Select, SettledField } from '../../../shared/ui'
import { words } from '../words'
import type { Filters } from './filters'

/** The filters: status, workflow, tool. */
export function FilterBar({ filters, onChange }: { filters: Filters; onChange: (filters: Filters) => void }) {
  const w = useWords(words)
  const { data: workflows } = useQuery(workflowsQuery)
  const { status, workflow, tool, ...none } = filters
  const rest = { ...(status && { status }), ...(workflow && { workflow }), ...(tool && { tool }) }
  const put = (key: keyof Filters, value: string) => {
    const next: Record<string, string> = { ...rest, [key]: value }
    if (value === ALL || value === '') delete next[key]
    onChange({ ...none, ...(next as Filters) })
  }
  const statuses: { value: Run['status'] | typeof ALL; label: string }[] = [
    { value: ALL, label: `${w.status}: ${w.all}` },
    { value: 'completed', label: w.completed },
    { value: 'error', label: w.error },
    { value: 'running', label: w.running },
    { value: 'cancelled', label: w.cancelled },
  ]
  const told = apart(workflows ?? [], ({ name }) => name, ({ id }) => id)
  const names = (workflows ?? []).map(({ id }, at) => ({ value: id, label: told[at] }))
  if (workflow && !names.some(({ value }) => value === workflow)) names.push({ value: workflow, label: workflow })
  return (
    <>
      <SettledField type="search" label={w.tool} placeholder={w.toolHint} className="w-40! max-md:w-full!" value={tool ?? ''} onChange={(value) => put('tool', value)} />
      <Select aria-label={w.status} className={inBar} value={status ?? ALL} onValueChange={(value) => put('status', value)} options={statuses} />
      <Select
        aria-label={w.workflow}
        className={inBar}
        value={workflow ?? ALL}
        onValueChange={(value) => put('workflow', value)}
        options={[{ value: ALL, label: `${w.workflow}: ${w.all}` }, ...names]}
      />
      {Object.keys(rest).length > 0 && <IconButton icon="cross" label={w.clear} onClick={() => onChange({})} />}
    </>
  )
}
