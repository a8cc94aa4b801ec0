import { useState, type ReactNode } from 'react'
import { formatBytes } from '../../../shared/lib/format'
import { useWords } from '../../../shared/lib/i18n'
import { Button, CopyButton, Icon, JsonView, type IconName } from '../../../shared/ui'
import { words } from '../words'
import { isWeb, jsonIn, mediaAddress, type Part } from './parts'

const PREVIEW = 20_000

/** One part of a result, as what it is. */
export function PartView({ part }: { part: Part }) {
  const w = useWords(words)
  switch (part.kind) {
    case 'text':
      return <Frame icon="book" title={w.text} copy={part.text}><TextBody text={part.text} /></Frame>
    case 'image':
    case 'audio':
      return (
        <Frame icon="activity" title={`${part.kind === 'image' ? w.image : w.audio} · ${part.type}`} save={part}>
          <Media kind={part.kind} type={part.type} data={part.data} />
        </Frame>
      )
    case 'resource':
      return (
        <Frame icon="server" title={`${w.resource} · ${part.type || part.uri}`} {...(part.text !== undefined && { copy: part.text })} {...(part.data !== undefined && { save: { type: part.type, data: part.data } })}>
          <p className="mb-2 font-mono text-xs text-faint [overflow-wrap:anywhere]">{part.uri}</p>
          {part.text !== undefined && <TextBody text={part.text} />}
          {part.data !== undefined && part.type.startsWith('image/') && <Media kind="image" type={part.type} data={part.data} />}
          {part.data !== undefined && part.type.startsWith('audio/') && <Media kind="audio" type={part.type} data={part.data} />}
        </Frame>
      )
    case 'link':
      return (
        <Frame icon="link" title={`${w.link}${part.type ? ` · ${part.type}` : ''}`} copy={part.uri}>
          <p className="font-medium">{part.name}</p>
          {part.description && <p className="text-muted">{part.description}</p>}
          {isWeb(part.uri) ? (
            <a href={part.uri} target="_blank" rel="noreferrer noopener" className="font-mono text-xs text-accent-text underline [overflow-wrap:anywhere]">{part.uri}</a>
          ) : (
            <p className="font-mono text-xs text-faint [overflow-wrap:anywhere]">{part.uri}</p>
          )}
        </Frame>
      )
    default:
      return <Frame icon="info" title={w.unknown}><JsonView value={part.value} /></Frame>
  }
}

interface FrameProps {
  icon: IconName
  title: string
  copy?: string
  save?: { type: string; data: string }
  children: ReactNode
}

function Frame({ icon, title, copy, save, children }: FrameProps) {
  const w = useWords(words)
  const download = () => {
    if (!save) return
    const bytes = Uint8Array.from(atob(save.data), (char) => char.charCodeAt(0))
    const address = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
    const link = document.createElement('a')
    link.href = address
    link.download = `result.${save.type.split('/')[1]?.replaceAll(/[^\w]/g, '') || 'bin'}`
    link.click()
    URL.revokeObjectURL(address)
  }
  return (
    <article className="overflow-hidden rounded-lg border border-line bg-surface">
      <header className="flex min-h-8 items-center gap-2 border-b border-line bg-sunken px-3 text-xs text-muted">
        <Icon name={icon} size={13} />
        <span className="mr-auto min-w-0 truncate">{title}</span>
        {save && <Button look="quiet" size="small" icon="download" onClick={download}>{w.download}</Button>}
        {copy !== undefined && <CopyButton text={copy} />}
      </header>
      <div className="p-3 text-[13px]">{children}</div>
    </article>
  )
}

/** A text, formatted when it is JSON; a long one comes as its beginning. */
function TextBody({ text }: { text: string }) {
  const w = useWords(words)
  const [all, setAll] = useState(false)
  const [pretty, setPretty] = useState(true)
  const json = text.length <= PREVIEW * 10 ? jsonIn(text) : undefined
  const shown = all ? text : text.slice(0, PREVIEW)
  return (
    <>
      {json !== undefined && (
        <Button look="quiet" size="small" className="float-right -mt-1" aria-pressed={pretty} onClick={() => setPretty(!pretty)}>{pretty ? w.plain : w.pretty}</Button>
      )}
      {json !== undefined && pretty ? (
        <JsonView value={json} />
      ) : (
        <pre className="font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]">{shown}</pre>
      )}
      {shown.length < text.length && !(json !== undefined && pretty) && <Button size="small" className="mt-2" onClick={() => setAll(true)}>{w.showAll(formatBytes(text.length))}</Button>}
    </>
  )
}

function Media({ kind, type, data }: { kind: 'image' | 'audio'; type: string; data: string }) {
  const w = useWords(words)
  const address = mediaAddress(kind, type, data)
  if (address === undefined) return <p className="text-muted">{type || w.unknown}</p>
  if (kind === 'image') return <img src={address} alt={w.imageAlt} className="max-h-96 max-w-full rounded bg-[repeating-conic-gradient(var(--sunken)_0_25%,transparent_0_50%)] bg-size-[16px_16px]" />
  // A sound from a tool has no captions to offer.
  // oxlint-disable-next-line jsx-a11y/media-has-caption
  return <audio controls src={address} className="w-full" />
}
