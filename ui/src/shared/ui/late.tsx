import { createElement, useEffect, useState, type ComponentType, type ReactNode } from 'react'
import { ApiError, base } from '../api/client'
import { useWords } from '../lib/i18n'
import { Page } from './page'
import { ErrorState, Loading } from './states'
import { words } from './words'

type Late<P> = ((props: P) => ReactNode) & { preload: () => Promise<void> }

const unreachable = new ApiError(0, 'UNREACHABLE', '')

/**
 * A part of the page that is loaded when it is needed. While the gateway is away it says so and tries again, and what
 * the tab holds stays; a part with a stand-in of its own leaves the saying to the shell. Only when the gateway answers
 * without the file, as after an update, the page is read anew.
 */
export function late<P extends object>(load: () => Promise<ComponentType<P>>, fallback?: ReactNode): Late<P> {
  let arrived: ComponentType<P> | undefined
  const fetched = async () => {
    arrived = await load()
  }
  function Part(props: P) {
    const [state, setState] = useState<{ failed: boolean; error?: unknown }>({ failed: false })
    useEffect(() => {
      if (arrived) return
      let wanted = true
      const tell = (failed: boolean, error?: unknown) => wanted && setState({ failed, error })
      void insist(fetched, () => wanted, () => tell(true)).then(() => tell(false), (error: unknown) => tell(false, error))
      return () => {
        wanted = false
      }
    }, [])
    if (state.error !== undefined) throw state.error
    if (arrived) return createElement(arrived, props)
    return fallback ?? (state.failed ? <Away /> : <Loading />)
  }
  // Ahead of time it is tried once; whoever opens the page is told of a failure.
  return Object.assign(Part, { preload: () => fetched().catch(() => {}) })
}

function Away() {
  const w = useWords(words)
  return <Page title={w.away}><ErrorState error={unreachable} /></Page>
}

/** Tries until it works or nobody waits for it any more. */
async function insist(load: () => Promise<void>, wanted: () => boolean, failed: () => void): Promise<void> {
  for (let refused = 0; wanted(); ) {
    try {
      return await load()
    } catch (error) {
      refused = (await answers()) ? refused + 1 : 0
      if (refused > 1 && wanted()) return await readAnew(error)
      failed()
      if (refused === 0) await new Promise((done) => setTimeout(done, 2000))
      restyle()
    }
  }
}

/** Whether the page itself could be read now. */
async function answers(): Promise<boolean> {
  return fetch(base, { cache: 'no-store' }).then(({ ok }) => ok, () => false)
}

/** Reads the page anew, once for the same failure. */
function readAnew(error: unknown): Promise<never> {
  const key = `lockgate.anew ${error instanceof Error ? error.message : String(error)}`
  if (sessionStorage.getItem(key)) throw error
  sessionStorage.setItem(key, '1')
  window.location.reload()
  return new Promise(() => {})
}

/** Asks again for the styles that did not come: a part that is loaded again counts on them being there. */
function restyle(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')) if (!link.sheet) link.replaceWith(link.cloneNode())
}
