import { useEffect, useEffectEvent, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { WINDOW } from './samples'

interface ChartProps {
  rows: [number[], number[], number[]]
  calls: string
  errors: string
  /** Drawn again in other colours when it changes. */
  theme: string
}

/** A colour of the page as the canvas needs it. */
function colour(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** The window that ends now, whatever the data. */
function within(end: number): [number, number] {
  return [end - WINDOW / 1000, end]
}

function options(width: number, calls: string, errors: string, latest: () => number): uPlot.Options {
  const [line, faint, accent, bad, soft] = ['line', 'faint', 'accent', 'bad', 'accent-soft'].map(colour)
  const axis = { stroke: faint, font: '11px system-ui', grid: { stroke: line, width: 1 }, ticks: { show: false } } as const
  return {
    width,
    height: 190,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: {
      x: { time: true, range: () => within(latest()) },
      y: { range: (_, __, max) => [0, Math.max(1, max * 1.15)] },
    },
    axes: [
      { ...axis, space: 90, size: 28, incrs: [60, 120, 300], values: (_, splits) => splits.map((at) => new Date(at * 1000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })) },
      { ...axis, size: 42 },
    ],
    series: [
      {},
      { label: calls, stroke: accent, width: 2, fill: soft, points: { show: false } },
      { label: errors, stroke: bad, width: 2, points: { show: false } },
    ],
  }
}

/** Calls and errors per second over the last minutes. What it shows is said in words beside it. */
export default function Chart({ rows, calls, errors, theme }: ChartProps) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const latest = useEffectEvent(() => rows[0].at(-1) ?? Date.now() / 1000)
  useEffect(() => {
    const element = host.current
    if (!element) return
    const made = new uPlot(options(element.clientWidth, calls, errors, () => latest()), [[], [], []], element)
    plot.current = made
    const sizes = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: 190 }))
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [calls, errors, theme])
  useEffect(() => {
    plot.current?.setData(rows)
  }, [rows, calls, errors, theme])
  return <div ref={host} aria-hidden className="h-[190px] w-full overflow-hidden" />
}
