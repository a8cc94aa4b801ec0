import type { Deed, NodeState, Outcome } from '../../lib/run'
import { classes } from '../../lib/classes'
import { useNow } from '../../lib/now'
import type { Tone } from '../badge'
import { Icon, type IconName } from '../icons'
import { Duration } from '../text'

const faces: Readonly<Record<string, readonly [IconName, Tone]>> = {
  start: ['play', 'good'],
  end: ['stop', 'neutral'],
  'mcp-call': ['tool', 'accent'],
  hook: ['code', 'info'],
  condition: ['branch', 'warn'],
  variable: ['braces', 'info'],
  activity: ['activity', 'accent'],
}

/** The icon and the colour of a kind of node; plug-ins share one, and so do nodes that nobody waits for. */
export function faceOf(type: string, aside = false): { icon: IconName; tone: Tone } {
  const [icon, tone] = aside ? (['external', 'neutral'] as const) : (faces[type] ?? ['flask', 'accent'])
  return { icon, tone }
}

const tiles: Record<Tone, string> = {
  neutral: 'bg-sunken text-muted',
  accent: 'bg-accent-soft text-accent-text',
  good: 'bg-good-soft text-good-text',
  warn: 'bg-warn-soft text-warn-text',
  bad: 'bg-bad-soft text-bad-text',
  info: 'bg-info-soft text-info-text',
}

const borders: Record<Tone, string> = {
  neutral: 'border-line',
  accent: 'border-accent',
  good: 'border-good',
  warn: 'border-warn',
  bad: 'border-bad',
  info: 'border-info',
}

/** How each outcome of a node looks, on every pane that tells of it. */
export const outcomeTones: Readonly<Record<Outcome, Tone>> = {
  running: 'info', completed: 'good', error: 'bad', skipped: 'neutral', changed: 'warn', answered: 'warn', replaced: 'warn', blocked: 'bad',
}

/** What a node did to the request is told by more than a colour. */
const deeds: Readonly<Record<Deed, IconName>> = { changed: 'pencil', answered: 'undo', replaced: 'pencil', blocked: 'stop' }

/** What a run left on a node. */
export interface FaceMark {
  readonly state: NodeState
  /** What it did to the request, where it did not just let it go on. */
  readonly deed?: Deed
  readonly time?: number
  /** When it began, of one that runs. */
  readonly since?: number
  readonly count?: number
  readonly slowest?: boolean
}

interface FaceProps {
  type: string
  label: string
  detail: string
  /** Whether the detail is code, and no words. */
  code?: boolean
  /** Whether nobody waits for it. */
  aside?: boolean
  selected?: boolean
  mark?: FaceMark | undefined
  /** Whether something is wrong with it. */
  broken?: boolean
}

/** A node as it stands on a canvas. */
export function NodeFace({ type, label, detail, code, aside, selected, mark, broken }: FaceProps) {
  const { icon, tone } = faceOf(type, aside)
  const idle = mark?.state === 'skipped'
  const border = mark ? borders[toneOf(mark)] : broken ? 'border-bad' : 'border-line-strong'
  return (
    <div
      data-state={mark?.state}
      className={classes(
        'flex h-14 w-43 items-center gap-2 rounded-lg border pr-2 pl-2 shadow-card transition-[border-color,opacity]',
        border,
        mark && toneOf(mark) === 'bad' && 'ring-2 ring-bad/30',
        mark?.state === 'running' && 'animate-pulse-soft ring-2 ring-info/30',
        aside && 'border-dashed',
        idle ? 'bg-surface text-faint' : 'bg-raised',
        selected && 'outline-2 outline-offset-2 outline-accent',
      )}
    >
      <span className={classes('grid size-8 shrink-0 place-items-center rounded-md', tiles[idle ? 'neutral' : tone])}>
        <Icon name={icon} size={17} />
      </span>
      <span className="min-w-0 flex-1">
        <span title={label} className="block truncate text-[13px] leading-5 font-medium">{label}</span>
        <span className={classes('block truncate text-[11px] leading-4 text-faint', code && 'font-mono')}>{detail}</span>
      </span>
      {broken && !mark && <Icon name="warning" size={15} className="text-bad" />}
      {mark && !idle && <MarkPill mark={mark} />}
    </div>
  )
}

/** The same from far away: a shape in its colour. */
export function FarFace({ type, selected, mark }: { type: string; selected?: boolean; mark?: FaceMark | undefined }) {
  const look = mark ? fills[toneOf(mark)] : tiles[faceOf(type).tone]
  return <div data-state={mark?.state} className={classes('h-14 w-43 rounded-lg border-2 border-line-strong', look, selected && 'outline-8 outline-accent')} />
}

function toneOf({ state, deed }: FaceMark): Tone {
  return outcomeTones[deed ?? state]
}

/** A shape or a bar in the colour of an outcome. */
export const fills: Readonly<Record<Tone, string>> = { neutral: 'bg-sunken', accent: 'bg-accent', good: 'bg-good', warn: 'bg-warn', bad: 'bg-bad', info: 'bg-info' }

function MarkPill({ mark }: { mark: FaceMark }) {
  const { deed, time, since, count, slowest } = mark
  const tone = toneOf(mark)
  return (
    <span className={classes('absolute -top-2.5 right-2 flex items-center gap-1 rounded-full border px-1.5 text-[11px] leading-4 tabular-nums', tiles[tone], borders[tone])}>
      {deed && <Icon name={deeds[deed]} size={11} />}
      {slowest && <Icon name="clock" size={11} />}
      {time !== undefined ? <Duration ms={time} /> : since === undefined ? '…' : <Passing since={since} />}
      {count !== undefined && count > 1 && <span>×{count}</span>}
    </span>
  )
}

/** The time that a node has taken so far; it is in the eye when it is long. */
function Passing({ since }: { since: number }) {
  const took = useNow(true) - since
  return took < 1000 ? '…' : <Duration ms={Math.floor(took / 1000) * 1000} />
}
