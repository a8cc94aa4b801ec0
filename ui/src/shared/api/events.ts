import { readJson } from '../lib/values'
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { base } from './client'

/** The names of `GET /api/events?running=true`. `lost` means: read everything again. */
export const eventNames = ['server', 'list', 'hooks', 'workflows', 'run', 'running', 'session', 'lost'] as const

export type EventName = (typeof eventNames)[number]

/** One change, with the data that the gateway gave to it. */
export interface GatewayEvent {
  name: EventName
  data: Record<string, unknown>
}

/** Whether changes arrive at the moment. */
export type Link = 'connecting' | 'live' | 'offline'

type Message = { kind: 'event'; event: GatewayEvent } | { kind: 'link'; link: Link } | { kind: 'hello' }

const listeners = new Set<(event: GatewayEvent) => void>()
const watchers = new Set<() => void>()
let link: Link = 'connecting'
let leading = false
let started = false

// A connection that breaks is mended by the browser, which names the last event it got (Last-Event-ID). Whether the
// gateway still has what came after it is not known here, so everything that is shown is read again.
//
// Browsers permit six connections to one host, so the tabs share one stream: the holder of the lock reads it and
// tells the others. When its tab closes the lock passes on, and the next holder makes everybody read again.
function start(): void {
  if (started) return
  started = true
  const channel = new BroadcastChannel(`lockgate-events ${base.href}`)
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => receive(channel, data))
  channel.postMessage({ kind: 'hello' } satisfies Message)
  const lead = (again: boolean) => new Promise<never>(() => read(channel, again))
  if (!navigator.locks) {
    void lead(false)
    return
  }
  const name = `lockgate-events ${base.href}`
  void navigator.locks.request(name, { ifAvailable: true }, (lock) => (lock ? lead(false) : undefined)).then(() =>
    navigator.locks.request(name, () => lead(true)),
  )
}

function receive(channel: BroadcastChannel, message: Message): void {
  if (message.kind === 'event') tell(message.event)
  else if (message.kind === 'link') setLink(message.link)
  else if (leading) channel.postMessage({ kind: 'link', link } satisfies Message)
}

function read(channel: BroadcastChannel, again: boolean): void {
  leading = true
  let missed = again
  const source = new EventSource(new URL('api/events?running=true', base))
  const share = (event: GatewayEvent) => {
    channel.postMessage({ kind: 'event', event } satisfies Message)
    tell(event)
  }
  const shareLink = (next: Link) => {
    channel.postMessage({ kind: 'link', link: next } satisfies Message)
    setLink(next)
  }
  source.addEventListener('open', () => {
    shareLink('live')
    if (missed) share({ name: 'lost', data: {} })
    missed = false
  })
  source.addEventListener('error', () => {
    missed = true
    shareLink('offline')
    // A refusal ends the stream for good, so a new one is opened; a broken connection mends itself.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => reopen(channel), 3000)
  })
  for (const name of eventNames) {
    source.addEventListener(name, ({ data }: MessageEvent<string>) => share({ name, data: parse(data) }))
  }
}

/** Opens the stream anew as soon as somebody listens: whoever is asked to sign in does not. */
function reopen(channel: BroadcastChannel): void {
  if (listeners.size > 0) read(channel, true)
  else setTimeout(() => reopen(channel), 1000)
}

function parse(text: string): Record<string, unknown> {
  try {
    return readJson(text) as Record<string, unknown>
  } catch {
    return {}
  }
}

function tell(event: GatewayEvent): void {
  for (const listener of listeners) listener(event)
}

function setLink(next: Link): void {
  link = next
  for (const watcher of watchers) watcher()
}

/** Calls `listener` for every event until the returned function is called. */
export function listen(listener: (event: GatewayEvent) => void): () => void {
  start()
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Calls `handler` for every event of the given names while the component is shown. */
export function useEvents(names: readonly EventName[], handler: (event: GatewayEvent) => void): void {
  const wanted = names.join(' ')
  const handle = useEffectEvent(handler)
  useEffect(() => {
    return listen((event) => {
      if (wanted.split(' ').includes(event.name)) handle(event)
    })
  }, [wanted])
}

/** Whether changes arrive at the moment. */
export function useLink(): Link {
  return useSyncExternalStore(
    (watcher) => {
      start()
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    () => link,
  )
}
