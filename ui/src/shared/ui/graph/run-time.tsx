import { useNow } from '../../lib/now'
import { lengthOf, type Run } from '../../lib/run'
import { Duration } from '../text'

/** How long a run took; while it is under way it counts on. */
export function RunTime({ run, className }: { run: Run; className?: string }) {
  const now = useNow(run.status === 'running', 200)
  return <Duration ms={lengthOf(run, now)} className={className} />
}
