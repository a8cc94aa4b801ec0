import type { Fields } from './model'

/** The names of templates, which are keys of their words. */
export type TemplateName = 'redact' | 'allow' | 'argument' | 'filter' | 'log'

type Template = Pick<Fields, 'hookType' | 'onError' | 'script'>

/** Scripts to begin with. Each works as it is and says where to change it. */
export const templates: Record<TemplateName, Template> = {
  redact: {
    hookType: 'post',
    onError: 'stop',
    script: `// Takes secrets out of every reply before it reaches the client.
// Add patterns of your own: names, or regular expressions.
const patterns = ['apiKey', 'jwt', 'creditCard', 'email', 'password\\\\s*[:=]\\\\s*\\\\S+']

if (context.response !== undefined) {
  context.response = redact(context.response, patterns)
}
`,
  },
  allow: {
    hookType: 'both',
    onError: 'stop',
    script: `// Which tools may be called. "*" stands for any text; what is denied wins.
const allow = ['*']
const deny = ['delete*', '*_admin']

const matches = (list, name) =>
  list.some((one) => new RegExp('^' + one.split('*').map(escape).join('.*') + '$').test(name))
function escape(text) {
  return text.replace(/[.+?^\${}()|[\\]\\\\]/g, '\\\\$&')
}
const permitted = (name) => matches(allow, name) && !matches(deny, name)

// Calls are refused …
if (context.requestType === 'CallTool' && !permitted(context.toolName)) {
  return { continue: false, error: { code: 'TOOL_DENIED', message: \`The tool "\${context.toolName}" is not allowed here\` } }
}
// … and the list does not show what would be refused.
if (context.requestType === 'ListTools' && Array.isArray(context.response?.tools)) {
  context.response.tools = context.response.tools.filter((tool) => permitted(tool.name))
}
`,
  },
  argument: {
    hookType: 'pre',
    onError: 'continue',
    script: `// Adds an argument to calls of one tool, unless the client gave it.
const tool = 'fetch-weather'
const extra = { language: 'ja' }

if (context.requestType === 'CallTool' && context.toolName === tool) {
  const { params } = context.request
  params.arguments = { ...extra, ...params.arguments }
}
`,
  },
  filter: {
    hookType: 'post',
    onError: 'stop',
    script: `// Shows only some tools to clients. Calls are not touched: use "Allow and deny tools" for that.
const hidden = (tool) => tool.name.startsWith('internal')

if (context.requestType === 'ListTools' && Array.isArray(context.response?.tools)) {
  context.response.tools = context.response.tools.filter((tool) => !hidden(tool))
}
`,
  },
  log: {
    hookType: 'both',
    onError: 'continue',
    script: `// Writes a line to the gateway's log for every request and every reply.
const { metadata, request } = context
const what = context.toolName ?? request.method

if (metadata.duration === undefined) {
  console.info('→', metadata.clientId, what, redact(request.params))
} else if (metadata.error) {
  console.warn('←', what, \`failed after \${metadata.duration} ms\`, metadata.error)
} else {
  console.info('←', what, \`\${metadata.duration} ms\`)
}
`,
  },
}

/** The script of a hook that begins from nothing. */
export const blankScript = `// context.request.params can be changed before the call, context.response after it.
// Return nothing to go on, or { continue: false, error: { message } } to block.
`
