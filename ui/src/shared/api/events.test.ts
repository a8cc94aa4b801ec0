import { afterEach, beforeEach, expect, test, vi } from 'vitest'

class FakeSource extends EventTarget {
  static readonly CLOSED = 2
  static all: FakeSource[] = []
  readyState = 0
  constructor(readonly url: URL) {
    super()
    FakeSource.all.push(this)
  }

  opens(): void {
    this.readyState = 1
    this.dispatchEvent(new Event('open'))
  }

  breaks(readyState: 0 | 2): void {
    this.readyState = readyState
    this.dispatchEvent(new Event('error'))
  }

  says(name: string, data: string): void {
    this.dispatchEvent(new MessageEvent(name, { data }))
  }
}

const posted: unknown[] = []
class FakeChannel extends EventTarget {
  postMessage(message: unknown): void {
    posted.push(message)
  }
}

type Events = typeof import('./events')
let events: Events
let heard: string[]

beforeEach(async () => {
  vi.useFakeTimers()
  vi.resetModules()
  FakeSource.all = []
  posted.length = 0
  heard = []
  vi.stubGlobal('document', { baseURI: 'http://gateway/gw/' })
  vi.stubGlobal('EventSource', FakeSource)
  vi.stubGlobal('BroadcastChannel', FakeChannel)
  vi.stubGlobal('navigator', {})
  events = await import('./events')
  events.listen((event) => heard.push(`${event.name} ${JSON.stringify(event.data)}`))
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const source = (at = 0): FakeSource => {
  const found = FakeSource.all[at]
  if (!found) throw new Error(`there is no stream ${at}`)
  return found
}

test('the first connection tells what happens, with what the gateway added to it', () => {
  source().opens()
  source().says('server', '{"name":"files","status":"crashed","instance":"a"}')
  source().says('list', 'no JSON')
  expect(source().url.href).toBe('http://gateway/gw/api/events?running=true')
  expect(heard).toEqual(['server {"name":"files","status":"crashed","instance":"a"}', 'list {}'])
})

test('a connection that breaks mends itself, so that the browser names the last event, and everything is read again', () => {
  source().opens()
  source().breaks(0)
  expect(posted.at(-1)).toEqual({ kind: 'link', link: 'offline' })
  source().opens()
  expect(FakeSource.all).toHaveLength(1)
  expect(heard).toEqual(['lost {}'])
  expect(posted).toContainEqual({ kind: 'link', link: 'live' })
  // What the gateway sends again after that is heard too.
  source().says('hooks', '{}')
  expect(heard).toEqual(['lost {}', 'hooks {}'])
})

test('a stream that is refused is opened anew, and everything is read again', () => {
  source().opens()
  source().breaks(2)
  expect(FakeSource.all).toHaveLength(1)
  vi.advanceTimersByTime(3000)
  expect(FakeSource.all).toHaveLength(2)
  source(1).opens()
  expect(heard).toEqual(['lost {}'])
})

test('what was missed is read again once, not at every opening', () => {
  source().opens()
  source().breaks(0)
  source().opens()
  source().opens()
  expect(heard).toEqual(['lost {}'])
})
