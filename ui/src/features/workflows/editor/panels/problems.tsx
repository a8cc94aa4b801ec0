import { useReactFlow } from '@xyflow/react'
import { useLanguage, useWords } from '../../../../shared/lib/i18n'
import { EmptyState, Icon, Spinner, Told } from '../../../../shared/ui'
import type { Problem } from '../problems'
import { problemSaying } from '../reasons'
import { editor } from '../store'
import { useView } from '../view'
import { showNode } from '../viewport'
import { words } from '../words'

/** Everything that keeps the workflow from being active; each leads to its node. */
export function ProblemsPanel() {
  const w = useWords(words)
  const problems = useView((state) => state.problems)
  const checking = useView((state) => state.checking)
  if (problems.length === 0) {
    return <EmptyState icon="check" title={checking ? w.checking : w.noProblems} />
  }
  return (
    <>
      {checking && (
        <p className="mb-2 flex items-center gap-2 text-xs text-faint">
          <Spinner size={12} /> {w.checking}
        </p>
      )}
      <ul className="flex flex-col gap-1">
        {problems.map((problem, at) => (
          <li key={at}>
            <Row problem={problem} />
          </li>
        ))}
      </ul>
    </>
  )
}

function Row({ problem }: { problem: Problem }) {
  const w = useWords(words)
  const { language } = useLanguage()
  const flow = useReactFlow()
  const show = () => {
    if (problem.node) showNode(flow, problem.node)
    else if (problem.edge) editor.getState().select(new Set(), new Set([problem.edge]))
  }
  const leads = problem.node !== undefined || problem.edge !== undefined
  return (
    <button
      type="button"
      onClick={show}
      disabled={!leads}
      title={leads ? w.showProblem : undefined}
      className="flex w-full items-start gap-2 rounded-md px-2 py-1.5 text-left text-[13px] enabled:hover:bg-hover disabled:cursor-default"
    >
      <Icon name="warning" size={15} className={problem.severity === 'error' ? 'mt-0.5 text-bad' : 'mt-0.5 text-warn'} />
      <span className="min-w-0 [overflow-wrap:anywhere]"><Told saying={problemSaying(language, problem)} /></span>
    </button>
  )
}
