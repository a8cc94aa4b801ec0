import { useLogs } from '../../shared/api/servers'
import { useWords } from '../../shared/lib/i18n'
import { CopyButton, Dialog, ErrorState, Loading, LogTail } from '../../shared/ui'
import { words } from './words'

/** A window with the log of one server. */
export function Logs({ name, close }: { name: string; close: () => void }) {
  const w = useWords(words)
  const logs = useLogs(name)
  return (
    <Dialog open onOpenChange={(open) => !open && close()} title={w.logsTitle(name)} description={w.logsText} size="large">
      {logs.data ? (
        <div className="relative">
          <LogTail lines={logs.data} label={w.logsTitle(name)} empty={w.noLogs} rows={24} />
          {logs.data.length > 0 && <CopyButton text={() => logs.data.join('\n')} className="absolute! top-2 right-4 bg-surface!" />}
        </div>
      ) : logs.error ? (
        <ErrorState error={logs.error} retry={() => void logs.refetch()} />
      ) : (
        <Loading />
      )}
    </Dialog>
  )
}
