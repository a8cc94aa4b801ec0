import { useWords } from '../../../../shared/lib/i18n'
import { Field, Select } from '../../../../shared/ui'
import { words } from '../nodes/words'

/** What happens when a node fails. */
export function OnErrorField({ value, onChange }: { value: unknown; onChange: (value: string) => void }) {
  const w = useWords(words)
  return (
    <Field label={w.onError}>
      {(ids) => (
        <Select
          {...ids}
          value={value === 'continue' ? 'continue' : 'stop'}
          onValueChange={onChange}
          options={[{ value: 'stop', label: w.onErrorStop }, { value: 'continue', label: w.onErrorContinue }]}
        />
      )}
    </Field>
  )
}
