import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { workflowsQuery } from '../../../shared/api/queries'
import type { WorkflowView } from '../../../shared/api/types'
import { useWords } from '../../../shared/lib/i18n'
import { Button, EmptyState, ErrorState, Loading, Page, Tabs } from '../../../shared/ui'
import type { WorkflowType } from '../editor/rules'
import { words } from '../words'
import { CreateDialog } from './create'
import { Group } from './group'
import { Modules } from './modules'
import { useImport } from './transfer'

/** All workflows, by type. */
export function WorkflowsPage() {
  const w = useWords(words)
  const search: { tab?: unknown } = useSearch({ strict: false })
  const navigate = useNavigate()
  const show = (tab: string) => void navigate({ to: '/workflows', search: (tab === 'modules' ? { tab } : {}) as never, replace: true })
  const [creating, setCreating] = useState(false)
  const importing = useImport()
  const actions = (
    <>
      {importing.input}
      <Button needs="editor" icon="upload" onClick={importing.choose}>{w.importFile}</Button>
      <Button needs="editor" look="primary" icon="plus" onClick={() => setCreating(true)}>{w.newWorkflow}</Button>
    </>
  )
  return (
    <Page title={w.title} description={w.about} actions={actions}>
      <Tabs
        label={w.title}
        value={search.tab === 'modules' ? 'modules' : 'workflows'}
        onValueChange={show}
        tabs={[
          { value: 'workflows', label: w.tabWorkflows, content: <Workflows onCreate={() => setCreating(true)} /> },
          { value: 'modules', label: w.tabModules, content: <Modules /> },
        ]}
      />
      <CreateDialog open={creating} onOpenChange={setCreating} />
    </Page>
  )
}

function Workflows({ onCreate }: { onCreate: () => void }) {
  const w = useWords(words)
  const { data, error, refetch } = useQuery(workflowsQuery)
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
  if (!data) return <Loading />
  if (data.length === 0) {
    const action = <Button needs="editor" look="primary" icon="plus" onClick={onCreate}>{w.newWorkflow}</Button>
    return <EmptyState icon="workflow" title={w.emptyTitle} action={action}>{w.emptyText}</EmptyState>
  }
  const of = (type: WorkflowType): WorkflowView[] => data.filter((workflow) => workflow.workflowType === type)
  return (
    <div className="flex flex-col gap-6">
      <Group type="tools/call" title={w.callTitle} text={w.callText} workflows={of('tools/call')} />
      <Group type="tools/list" title={w.listTitle} text={w.listText} workflows={of('tools/list')} />
      {of('session').length > 0 && <Group type="session" title={w.sessionTitle} text={w.sessionText} workflows={of('session')} />}
    </div>
  )
}
