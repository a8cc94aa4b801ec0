import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { complete } from './complete'
import { literalsOf, membersOf, readTypes } from './types'

const file = new URL('../../../../../crates/gateway/src/hooks/types.d.ts', import.meta.url)
const types = readTypes(readFileSync(file, 'utf8'))
const labels = (before: string) => complete(types, before)?.options.map((one) => one.label)

test('the types that the gateway serves are understood', () => {
  expect(types.globals.map((one) => one.name)).toEqual(['context', 'sleep', 'validateToken', 'getServerInfo', 'redact', 'console'])
  expect([...types.interfaces.keys()]).toEqual(['HookContext', 'HookMetadata', 'HookVerdict', 'HookServerInfo'])
  const sleep = types.globals[1]
  expect(sleep).toMatchObject({ kind: 'function', type: '(ms: number): Promise<void>' })
  expect(sleep?.info).toContain('at most 5000 ms')
  const context = types.globals[0]
  if (context === undefined) throw new Error('no context')
  const members = membersOf(types, context)
  expect(members.map((one) => one.name)).toEqual([
    'request', 'response', 'metadata', 'requestType', 'toolName', 'resourceUri', 'promptName', 'serverName', 'workflowName', 'nodeName', 'data', 'previousResults', 'variables',
  ])
  for (const one of members) expect(one.info, one.name).not.toBe('')
  const kind = members.find((one) => one.name === 'requestType')
  expect(kind && literalsOf(types, kind)).toContain('CallTool')
})

test('members follow a dot', () => {
  expect(labels('context.')).toContain('toolName')
  expect(labels('if (context.request.')).toEqual(['method', 'params'])
  expect(labels('context?.metadata?.sh')).toContain('shared')
  expect(labels('  context\n    .requ')).toContain('request')
  expect(labels('console.')).toEqual(['log', 'debug', 'info', 'warn', 'error', 'trace', 'assert', 'table', 'dir', 'group', 'groupCollapsed', 'groupEnd', 'count', 'countReset', 'time', 'timeLog', 'timeEnd'])
  expect(labels('other.')).toBeUndefined()
  expect(labels('x.context.')).toBeUndefined()
  expect(complete(types, 'a; context.req')?.from).toBe('a; context.'.length)
})

test('words begin with what is there for all', () => {
  expect(labels('re')).toContain('redact')
  expect(labels('await sl')).toContain('sleep')
  expect(labels('')).toBeUndefined()
  expect(labels('// con')).toBeUndefined()
  expect(labels('"con')).toBeUndefined()
})

test('a comparison offers the texts that can come', () => {
  expect(labels('if (context.requestType === "')).toContain('ListTools')
  expect(labels("context.request.method !== 'to")).toContain('tools/call')
  expect(labels('redact(context.response, "')).toContain('creditCard')
  expect(labels('context.toolName === "')).toBeUndefined()
})

test('a verdict offers its parts', () => {
  expect(labels('return {')).toEqual(['continue', 'context', 'response', 'error'])
  expect(labels('return { continue: false, er')).toContain('error')
  expect(labels('return { error: { code: 1 }, ')).toContain('continue')
})
