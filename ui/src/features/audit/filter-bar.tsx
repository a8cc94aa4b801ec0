import { useWords } from '../../shared/lib/i18n'
import { ALL, IconButton, Select, SettledField } from '../../shared/ui'
import { type Filters, type Kind, KINDS } from './filters'
import { words } from './words'

/** The filters: kind, who, what. */
export function FilterBar({ filters, onChange }: { filters: Filters; onChange: (filters: Filters) => void }) {
  const w = useWords(words)
  const put = (key: keyof Filters, value: string) => {
    const { [key]: _, ...rest } = filters
    onChange(value === '' || value === ALL ? rest : { ...rest, [key]: value as Kind })
  }
  const kinds = KINDS.map((kind) => ({ value: kind, label: w.kinds(kind) }))
  return (
    <>
      <Select aria-label={w.kind} className="w-32! max-md:w-full!" value={filters.kind ?? ALL} onValueChange={(value) => put('kind', value)} options={[{ value: ALL, label: `${w.kind}: ${w.all}` }, ...kinds]} />
      <SettledField label={w.who} placeholder={`${w.who}: ${w.whoHint}`} className="w-44! max-md:w-full!" value={filters.who ?? ''} onChange={(value) => put('who', value)} />
      <SettledField label={w.subject} placeholder={`${w.subject}: ${w.subjectHint}`} className="w-60! max-md:w-full!" value={filters.subject ?? ''} onChange={(value) => put('subject', value)} />
      {Object.keys(filters).length > 0 && <IconButton icon="cross" label={w.clear} onClick={() => onChange({})} />}
    </>
  )
}
