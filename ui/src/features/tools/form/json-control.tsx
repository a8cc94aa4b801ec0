import { useState } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import { TextArea } from '../../../shared/ui'
import { JsonError, parse } from '../../../shared/lib/json'
import { Draft, emptied, jsonText, type Value } from '../schema/value'
import { words } from '../words'
import { useForm, type ControlProps } from './context'
import { jsonTrouble } from './trouble'

function read(text: string): Value | undefined {
  if (text.trim() === '') return undefined
  try {
    return parse(text)
  } catch {
    return new Draft(text)
  }
}

/** Any JSON as text. What is typed stays as it was typed, also while it is no JSON yet. */
export function JsonControl({ path, value, ids, kept }: ControlProps) {
  const w = useWords(words)
  const { change } = useForm()
  const [typed, setTyped] = useState(() => jsonText(value))
  // The text gives way when the value comes from elsewhere.
  const shown = jsonText(read(typed)) === jsonText(value) ? typed : jsonText(value)
  const write = (text: string) => {
    setTyped(text)
    change(path, emptied(read(text), kept))
  }
  let trouble: string | undefined
  try {
    if (shown.trim() !== '') parse(shown)
  } catch (error) {
    trouble = error instanceof JsonError ? jsonTrouble(w, error) : String(error)
  }
  return (
    <>
      <TextArea
        {...ids}
        {...(trouble && { 'aria-invalid': true })}
        rows={1}
        value={shown}
        placeholder="JSON"
        onChange={(event) => write(event.target.value)}
        className="field-sizing-content max-h-80 min-h-8 resize-none font-mono text-[13px]"
      />
      {trouble && <p className="text-xs text-bad-text">{trouble}</p>}
    </>
  )
}
