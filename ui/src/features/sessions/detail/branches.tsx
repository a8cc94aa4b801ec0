import { useWords } from '../../../shared/lib/i18n'
import { Badge, Icon, JsonView, Time } from '../../../shared/ui'
import type { BranchDecision, StepExecution } from '../types'
import { words } from '../words'

type Offered = NonNullable<StepExecution['branchOptions']>

/** The tools that were offered after a step; the one that was chosen is marked. */
export function Options({ options, decisions }: { options: Offered; decisions: readonly BranchDecision[] }) {
  const w = useWords(words)
  if (options.length === 0) return <p className="text-[13px] text-muted">{w.noOptions}</p>
  return (
    <section aria-label={w.options} className="flex flex-col gap-1.5">
      <h3 className="text-[13px] font-medium">{w.options}</h3>
      <ul className="flex flex-col gap-1.5">
        {options.map(({ toolName, condition, priority, parameters }, at) => (
          <li key={at} className="rounded-lg border border-line px-3 py-2 text-[13px]">
            <span className="flex items-center gap-2">
              <code className="min-w-0 flex-1 truncate font-mono text-xs">{toolName}</code>
              {decisions.some((one) => one.toolName === toolName) && <Icon name="check" size={14} className="text-good-text" />}
              {priority !== undefined && priority !== null && <Badge>{w.priority} {priority}</Badge>}
            </span>
            {condition && <span className="mt-0.5 block text-xs text-muted">{condition}</span>}
            <JsonView value={parameters} depth={0} className="mt-1" />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Which tools were chosen, when, and by which pattern they had been offered. */
export function Decisions({ decisions }: { decisions: readonly BranchDecision[] }) {
  const w = useWords(words)
  return (
    <section aria-label={w.decisions} className="flex flex-col gap-1.5">
      <h3 className="text-[13px] font-medium">{w.decisions}</h3>
      <ol className="flex flex-col gap-1">
        {decisions.map(({ stepIndex, toolName, branchPattern, timestamp }, at) => (
          <li key={at} className="flex flex-wrap items-center gap-x-2 text-[13px]">
            <span className="text-xs text-muted">{w.stepNumber(stepIndex)}</span>
            <span className="min-w-0 [overflow-wrap:anywhere]">{w.chose(toolName)}</span>
            {branchPattern && <span className="text-xs text-muted">{w.pattern} <code className="font-mono">{branchPattern}</code></span>}
            <Time at={timestamp} className="ml-auto text-xs text-muted" />
          </li>
        ))}
      </ol>
    </section>
  )
}
