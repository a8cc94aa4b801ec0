import type { NodeKind } from './kind'

export const end: NodeKind = {
  type: 'end',
  place: 'both',
  name: (w) => w.nodeEnd,
  offers: [{ key: 'end', type: 'end', name: (w) => w.nodeEnd, text: (w) => w.nodeEndText, data: {} }],
  detail: (_, w) => w.nodeEndText,
}
