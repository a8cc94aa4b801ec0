import { type Ports, portsOf } from '../../../shared/ui/graph/flow'
import type { GraphNode } from './graph'
import { type Kinds, roleOf } from './rules'

/** The ports of a node by its role; a plug-in may have no output. */
export function portsFor(node: GraphNode, kinds: Kinds): Ports {
  return roleOf(node, kinds) === 'side' ? { input: true, outputs: [] } : portsOf(node)
}
