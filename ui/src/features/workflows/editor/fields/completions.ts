import type { CodeCompletion } from '../../../../shared/ui'

const entry = (path: string, label: string, detail: string, type: NonNullable<CodeCompletion['type']> = 'property'): CodeCompletion => ({
  path,
  label,
  detail,
  type,
})

const helpers: CodeCompletion[] = [
  entry('', 'sleep', '(ms) => Promise', 'function'),
  entry('', 'redact', '(value, patterns?, replacement?)', 'function'),
  entry('', 'validateToken', '(token) => boolean', 'function'),
  entry('', 'getServerInfo', '(serverId)', 'function'),
  entry('', 'console', 'writes to the log', 'variable'),
  entry('', 'return', '', 'keyword'),
  entry('console', 'log', '(…values)', 'function'),
  entry('console', 'warn', '(…values)', 'function'),
  entry('console', 'error', '(…values)', 'function'),
]

/** What a script in a graph can reach: the context and the helpers (spec 2.4, 2.6). */
export const completions: CodeCompletion[] = [
  entry('', 'context', 'the request and its reply', 'variable'),
  ...helpers,
  entry('context', 'request', '{method, params}'),
  entry('context', 'response', 'after the call'),
  entry('context', 'metadata', 'client, server, times'),
  entry('context', 'variables', 'set by variable nodes'),
  entry('context', 'previousResults', 'by node id'),
  entry('context', 'requestType', 'CallTool, ListTools'),
  entry('context', 'toolName', 'string'),
  entry('context', 'serverName', 'string'),
  entry('context', 'workflowName', 'string'),
  entry('context', 'nodeName', 'string'),
  entry('context.request', 'method', 'string'),
  entry('context.request', 'params', 'object'),
  entry('context.request.params', 'name', 'string'),
  entry('context.request.params', 'arguments', 'object'),
  entry('context.response', 'content', 'array'),
  entry('context.response', 'structuredContent', 'object'),
  entry('context.response', 'isError', 'boolean'),
  entry('context.response', 'tools', 'array'),
  entry('context.metadata', 'clientId', 'string'),
  entry('context.metadata', 'serverName', 'string'),
  entry('context.metadata', 'workflowId', 'string'),
  entry('context.metadata', 'nodeId', 'string'),
  entry('context.metadata', 'startTime', 'number'),
  entry('context.metadata', 'duration', 'number, after the call'),
  entry('context.metadata', 'error', 'after a failed call'),
  entry('context.metadata', 'shared', 'object'),
]

/** What an expression in a session can reach (spec 4.3, 5.1). */
export const sessionCompletions: CodeCompletion[] = [
  entry('', 'memory', 'outputs by activity, and what scripts keep', 'variable'),
  entry('', 'input', 'what the step would be given', 'variable'),
  entry('', 'previous', 'the output of the step before', 'variable'),
  ...helpers,
]
