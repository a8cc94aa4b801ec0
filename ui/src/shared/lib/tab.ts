import { randomHex } from './hex'

const KEY = 'lockgate.tab'

/** A page asks whether another has its name; one that has says so. */
type Message = { readonly name: string; readonly from: string } | { readonly name: string; readonly to: string }

const page = randomHex(8)
let name = randomHex(8)
nameTab()

/** What names this tab among others of the browser, also after a reload. */
export function tabName(): string {
  return name
}

function nameTab(): void {
  try {
    const known = window.sessionStorage.getItem(KEY)
    if (known) name = known
    else window.sessionStorage.setItem(KEY, name)
    if (typeof BroadcastChannel !== 'undefined') notice(known !== null)
  } catch {
    // Without storage it has another name after a reload.
  }
}

// A tab that is a copy of another has its name too, until the other says that it is there.
function notice(known: boolean): void {
  const channel = new BroadcastChannel('lockgate-tab')
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.name !== name) return
    if ('from' in data) channel.postMessage({ name, to: data.from } satisfies Message)
    else if (data.to === page) {
      name = randomHex(8)
      window.sessionStorage.setItem(KEY, name)
    }
  })
  if (known) channel.postMessage({ name, from: page } satisfies Message)
}
