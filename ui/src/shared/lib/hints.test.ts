import { expect, test } from 'vitest'
import { hintFor } from './hints'

test.each([
  ['command not found on PATH; install it', [], 'command'],
  ['the server ended before it was ready (exit code 1)', ['Error: listen EADDRINUSE: address already in use :::3000'], 'port'],
  ['ended', ['Error: HOME is not defined'], 'home'],
  ['ended', ["ModuleNotFoundError: No module named 'mcp'"], 'package'],
  ['ended', ['GITHUB_TOKEN is not set'], 'variable'],
  ['the server was not ready within 10 seconds', [], 'slow'],
  ['connection refused', [], 'refused'],
  ['the server answered with HTTP status 401', [], 'credentials'],
  ['ended', ['nothing telling'], null],
  [null, [], null],
] as const)('%s with %j is explained by %s', (reason, lines, hint) => {
  expect(hintFor(reason, lines)).toBe(hint)
})
