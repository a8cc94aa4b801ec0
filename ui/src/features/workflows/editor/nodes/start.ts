import type { NodeKind } from './kind'

export const start: NodeKind = {
  type: 'start',
  place: 'both',
  name: (w) => w.nodeStart,
  offers: [{ key: 'start', type: 'start', name: (w) => w.nodeStart, text: (w) => w.nodeStartText, data: {} }],
  detail: (_, w) => w.nodeStartText,
}
