import { useQuery } from '@tanstack/react-query'
import { serversQuery } from '../../shared/api/queries'
import { useWords } from '../../shared/lib/i18n'
import { ALL, IconButton, inBar, Select, SettledField } from '../../shared/ui'
import { type Filters, OUTCOMES, WAYS } from './filters'
import { words } from './words'

/** The search and the filters: server, way in, outcome, time. */
export function FilterBar({ filters, onChange }: { filters: Filters; onChange: (filters: Filters) => void }) {
  const w = useWords(words)
  const { data: servers } = useQuery(serversQuery)
  const put = (key: keyof Filters, value: string) => {
    const { [key]: _, ...rest } = filters
    onChange(value === '' || value === ALL ? rest : { ...rest, [key]: value })
  }
  const named = (servers ?? []).map(({ name }) => name)
  const choice = (key: 'server' | 'way' | 'outcome', label: string, values: readonly string[], say = (value: string) => value) => {
    const present = filters[key]
    const all = present && !values.includes(present) ? [...values, present] : values
    const options = [{ value: ALL, label: `${label}: ${w.all}` }, ...all.map((value) => ({ value, label: say(value) }))]
    return <Select aria-label={label} className={inBar} value={present ?? ALL} onValueChange={(value) => put(key, value)} options={options} />
  }
  const outcome = (value: string) => ({ ok: w.ok, error: w.error })[value] ?? value
  return (
    <>
      <SettledField type="search" label={w.search} placeholder={w.searchRequests} title={w.searchHint} className="w-56! max-md:w-full!" value={filters.text ?? ''} onChange={(value) => put('text', value)} />
      {choice('server', w.server, named)}
      {choice('way', w.way, WAYS)}
      {choice('outcome', w.outcome, OUTCOMES, outcome)}
      <SettledField type="digits" label={w.slower} className="w-44! max-md:w-[calc(50%-4px)]!" value={filters.slower ?? ''} onChange={(value) => put('slower', value)} />
      {Object.keys(filters).length > 0 && <IconButton icon="cross" label={w.clear} onClick={() => onChange({})} />}
    </>
  )
}
