import type { NodeKind } from './kind'

export const mcpCall: NodeKind = {
  type: 'mcp-call',
  place: 'graph',
  name: (w) => w.nodeCall,
  offers: [{ key: 'mcp-call', type: 'mcp-call', name: (w) => w.nodeCall, text: (w) => w.nodeCallText, data: {} }],
  detail: (_, w) => w.nodeCallText,
}
