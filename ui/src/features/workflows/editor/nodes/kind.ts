import type { ComponentType } from 'react'
import type { GraphNode } from '../graph'
import type { NodeType } from '../rules'
import type { words } from './words'

export type Words = (typeof words)['ja']

/** What the palette offers: one kind may be offered in several forms. */
export interface Offer {
  readonly key: string
  readonly type: string
  /** In which workflows it is offered, where its kind has a place in both. */
  readonly place?: 'graph' | 'session'
  readonly name: (w: Words) => string
  readonly text: (w: Words) => string
  /** The data of a new node, its label apart. */
  readonly data: Readonly<Record<string, unknown>>
}

/** One kind of node: how it is offered, what its card says, and the form of its data. */
export interface NodeKind {
  readonly type: string
  /** In which workflows it has a place. */
  readonly place: 'graph' | 'session' | 'both'
  readonly name: (w: Words) => string
  readonly offers: readonly Offer[]
  /** The second line of its card, with the name of the module that it uses where it uses one. */
  readonly detail: (node: GraphNode, w: Words, module?: string) => string
  /** Whether that line is code. */
  readonly code?: boolean
  readonly Form?: ComponentType<{ node: GraphNode; type?: NodeType }>
}

/** The first line of a script that says something. */
export function firstLine(text: unknown): string {
  if (typeof text !== 'string') return ''
  return text.split('\n').map((line) => line.trim()).find((line) => line !== '' && !line.startsWith('//')) ?? ''
}
