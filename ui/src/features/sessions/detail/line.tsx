import { useEffect, useRef } from 'react'
import { classes } from '../../../shared/lib/classes'
import { useWords } from '../../../shared/lib/i18n'
import { Duration, Icon, type IconName, Since, StatusDot, Tooltip } from '../../../shared/ui'
import { stateTones } from '../looks'
import { words } from '../words'
import type { StepState, StepView } from './steps'

interface StepLineProps {
  steps: readonly StepView[]
  chosen: number | undefined
  onChoose: (index: number | undefined) => void
}

/** The steps in their order, each with its state. */
export function StepLine({ steps, chosen, onChoose }: StepLineProps) {
  const w = useWords(words)
  return (
    <section aria-label={w.steps} className="relative shrink-0 overflow-x-auto border-b border-line px-4 py-5">
      <ol className="flex w-max items-stretch">
        {steps.map((view, at) => (
          <li key={view.index} className="flex items-center">
            {at > 0 && <span aria-hidden className={classes('h-px w-6', steps.slice(at).some(({ state }) => isBehind(state)) ? 'bg-accent' : 'bg-line-strong')} />}
            <StepCard view={view} active={view.index === chosen} onChoose={() => onChoose(view.index === chosen ? undefined : view.index)} />
          </li>
        ))}
      </ol>
    </section>
  )
}

const isBehind = (state: StepState) => !['next', 'later', 'never', 'passed'].includes(state)

const frames: Partial<Record<StepState, string>> = {
  failed: 'border-bad', asked: 'border-warn bg-warn-soft', doubt: 'border-warn bg-warn-soft', running: 'border-info bg-info-soft ring-2 ring-info/30', next: 'border-accent', passed: 'border-dashed border-line-strong', later: 'border-dashed border-line-strong', never: 'border-dashed border-line-strong',
}

function StepCard({ view, active, onChoose }: { view: StepView; active: boolean; onChoose: () => void }) {
  const w = useWords(words)
  const { index, name, state, took, since, step } = view
  const card = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (active) card.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [active])
  return (
    <button
      ref={card}
      type="button"
      aria-pressed={active}
      data-state={state}
      onClick={onChoose}
      className={classes(
        'flex h-full w-44 flex-col gap-1 rounded-lg border bg-surface px-3 py-2 text-left shadow-card transition-colors hover:bg-hover',
        frames[state] ?? 'border-line-strong',
        active && 'outline-2 outline-offset-2 outline-accent',
      )}
    >
      <span className="flex items-center gap-2 text-xs text-faint">
        <span className="sr-only">{w.stepNumber(index)}</span>
        <span aria-hidden className="tabular-nums">{index + 1}</span>
        <span className="ml-auto flex gap-1">
          {step?.optional && <Mark icon="minus" text={w.optional} />}
          {step?.condition && <Mark icon="branch" text={w.conditional} />}
          {step?.approve && <Mark icon="user" text={w.approved} />}
        </span>
      </span>
      <span className={classes('truncate text-[13px] font-medium', (state === 'passed' || state === 'never') && 'text-muted')}>{name}</span>
      <span className="flex items-center gap-1.5 text-xs text-muted">
        <StatusDot tone={stateTones[state]} pulse={state === 'asked' || state === 'waits' || state === 'running'} />
        {w.states(state)}
        {since === undefined ? took !== undefined && <Duration ms={took} className="ml-auto" /> : <Since at={since} className="ml-auto" />}
      </span>
    </button>
  )
}

function Mark({ icon, text }: { icon: IconName; text: string }) {
  return (
    <Tooltip text={text}>
      <span><Icon name={icon} size={12} /><span className="sr-only">{text}</span></span>
    </Tooltip>
  )
}
