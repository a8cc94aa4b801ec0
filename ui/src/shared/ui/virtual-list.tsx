import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, type ReactNode } from 'react'
import { classes } from '../lib/classes'

interface VirtualListProps<Item> {
  items: readonly Item[]
  /** The usual height of a row in pixels; rows are measured when `measured` is set. */
  rowHeight: number
  render: (item: Item, index: number) => ReactNode
  getKey?: (item: Item, index: number) => string | number
  label: string
  className?: string
  /** The height of the list in pixels, where no class gives it one. */
  height?: number
  /** Lets rows have heights of their own. */
  measured?: boolean
  /** Stays at the end while the reader is there, as a log does. */
  follow?: boolean
}

/** A list of any length of which only the rows in sight are in the page. It scrolls by keyboard too. */
export function VirtualList<Item>({ items, rowHeight, render, getKey, label, className, height, measured, follow }: VirtualListProps<Item>) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    getItemKey: (index) => {
      const item = items[index]
      return getKey && item !== undefined ? getKey(item, index) : index
    },
  })
  useEffect(() => {
    if (follow && atEnd.current && items.length > 0) rows.scrollToIndex(items.length - 1, { align: 'end' })
  }, [follow, items.length, rows])
  const onScroll = () => {
    const element = box.current
    if (element) atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < rowHeight * 2
  }
  return (
    // The region scrolls, so the keyboard must reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={box} tabIndex={0} role="region" aria-label={label} onScroll={onScroll} style={height === undefined ? undefined : { height }} className={classes('overflow-auto focus-visible:outline-offset-[-2px]', className)}>
      <div role="list" aria-label={label} className="relative w-full" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => {
          const item = items[row.index]
          if (item === undefined) return null
          return (
            <div
              key={row.key}
              role="listitem"
              aria-posinset={row.index + 1}
              aria-setsize={items.length}
              data-index={row.index}
              ref={measured ? rows.measureElement : undefined}
              className="absolute top-0 left-0 w-full"
              style={{ height: measured ? undefined : row.size, transform: `translateY(${row.start}px)` }}
            >
              {render(item, row.index)}
            </div>
          )
        })}
      </div>
    </div>
  )
}
