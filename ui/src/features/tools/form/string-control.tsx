import { useState } from 'react'
import { formatBytes } from '../../../shared/lib/format'
import { hexOf } from '../../../shared/lib/hex'
import { useWords } from '../../../shared/lib/i18n'
import { Button, TextArea, TextField, useToast } from '../../../shared/ui'
import { format } from '../../../shared/lib/json'
import { words } from '../words'
import { useForm, type ControlProps } from './context'

const BASE64_MAX = 700_000

/** A text. One line grows to several where the text has them. */
export function StringControl({ shape, path, value, ids }: ControlProps<'string'>) {
  const w = useWords(words)
  const { change } = useForm()
  const [open, setOpen] = useState(false)
  const text = typeof value === 'string' ? value : ''
  const placeholder = shape.default === undefined ? '' : w.default(format(shape.default))
  const common = { ...ids, value: text, placeholder, onChange: (event: { target: { value: string } }) => change(path, event.target.value) }
  if (shape.secret && !text.includes('\n')) {
    return (
      <div className="flex gap-2">
        <TextField {...common} type={open ? 'text' : 'password'} autoComplete="new-password" />
        <Button onClick={() => setOpen(!open)}>{open ? w.hide : w.show}</Button>
      </div>
    )
  }
  return (
    <div className="flex items-start gap-2">
      {shape.multiline || text.includes('\n') ? <TextArea {...common} rows={1} className="field-sizing-content max-h-60 min-h-8 resize-none" /> : <TextField {...common} />}
      <Filler shape={shape} set={(next) => change(path, next)} />
    </div>
  )
}

/** A button that fills in what nobody likes to type. */
function Filler({ shape, set }: { shape: ControlProps<'string'>['shape']; set: (text: string) => void }) {
  const w = useWords(words)
  if (shape.base64) return <FileButton set={set} />
  if (shape.format === 'date-time') return <Button onClick={() => set(new Date().toISOString())}>{w.now}</Button>
  if (shape.format === 'date') return <Button onClick={() => set(new Date().toISOString().slice(0, 10))}>{w.today}</Button>
  if (shape.format === 'uuid') return <Button onClick={() => set(uuid())}>{w.generate}</Button>
  return null
}

/** A random UUID, also where the page is not served over HTTPS. */
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = hexOf(bytes)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

function FileButton({ set }: { set: (text: string) => void }) {
  const w = useWords(words)
  const toast = useToast()
  const read = async (file: File | undefined) => {
    if (!file) return
    if (file.size > BASE64_MAX) return toast({ tone: 'bad', title: w.fileTooLarge, text: w.fileMost(formatBytes(BASE64_MAX)) })
    const bytes = new Uint8Array(await file.arrayBuffer())
    set(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')))
  }
  const choose = () => {
    const input = document.createElement('input')
    input.type = 'file'
    input.addEventListener('change', () => void read(input.files?.[0]))
    input.click()
  }
  return <Button icon="upload" onClick={choose}>{w.file}</Button>
}
