import { Link } from '@tanstack/react-router'
import { useWords } from '../../shared/lib/i18n'
import { Badge, Tooltip, type Tone } from '../../shared/ui'
import type { Tool } from './tools'
import { words } from './words'

/** Name, title, description, and what the server says of the tool's nature. */
export function ToolHead({ tool }: { tool: Tool }) {
  const w = useWords(words)
  const { readOnly, destructive, idempotent, openWorld } = tool.annotations
  const hints: [boolean | undefined, string, string, Tone][] = [
    [readOnly, w.readOnly, w.readOnlyHint, 'good'],
    [destructive === true && readOnly !== true, w.destructive, w.destructiveHint, 'bad'],
    [idempotent, w.idempotent, w.idempotentHint, 'neutral'],
    [openWorld, w.openWorld, w.openWorldHint, 'info'],
  ]
  return (
    <header className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <h2 className="text-base font-semibold tracking-tight [overflow-wrap:anywhere]">{tool.title ?? tool.name}</h2>
        {hints.map(([on, label, hint, tone]) => on === true && (
          <Tooltip key={label} text={hint}>
            <span><Badge tone={tone}>{label}</Badge></span>
          </Tooltip>
        ))}
      </div>
      <p className="flex flex-wrap items-baseline gap-x-3 font-mono text-xs text-faint [overflow-wrap:anywhere]">
        {tool.server} / {tool.name}
        <Link to="/hooks" search={{ view: 'path', server: tool.server, tool: tool.name } as never} className="font-sans text-accent-text hover:underline">{w.whatRuns}</Link>
      </p>
      {/* A long description scrolls, so the keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <p tabIndex={0} role="region" aria-label={w.descriptionOf} className="max-h-32 overflow-auto text-[13px] whitespace-pre-line text-muted [overflow-wrap:anywhere]">{tool.description || w.noDescription}</p>
    </header>
  )
}
