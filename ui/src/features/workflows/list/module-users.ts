import type { WorkflowView } from '../../../shared/api/types'
import { readGraph } from '../../../shared/lib/graph'
import { recordOf, textOf } from '../../../shared/lib/values'

/** A workflow that uses a module. */
export type User = Pick<WorkflowView, 'id' | 'name' | 'enabled'>

/** Which workflows use each hook as a module, by the id of the hook. */
export function usersOf(workflows: readonly Pick<WorkflowView, 'id' | 'name' | 'enabled' | 'nodes' | 'edges'>[]): Map<string, User[]> {
  const users = new Map<string, User[]>()
  for (const { id, name, enabled, nodes, edges } of workflows) {
    const named = readGraph(nodes, edges).nodes.map(({ data }) => textOf(recordOf(data['hook'])['hookModuleId']))
    for (const module of new Set(named)) {
      if (module !== '') users.set(module, [...(users.get(module) ?? []), { id, name, enabled }])
    }
  }
  return users
}
