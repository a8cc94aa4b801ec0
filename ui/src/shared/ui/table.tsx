import type { ReactNode } from 'react'
import { classes } from '../lib/classes'

export interface Column<Row> {
  key: string
  title: ReactNode
  /** Numbers stand at the right. */
  align?: 'left' | 'right'
  className?: string
  /** Left out where there is little room. */
  wide?: boolean
  /** What can be done with a row: it stays in sight when the table is wider than its place. */
  pinned?: boolean
  render: (row: Row) => ReactNode
}

interface TableProps<Row> {
  /** What the table holds, for screen readers. */
  label: string
  columns: Column<Row>[]
  rows: Row[]
  rowKey: (row: Row) => string
  onRowClick?: (row: Row) => void
  selected?: string
  /** What stands in place of rows when there are none. */
  empty?: ReactNode
}

function placeOf({ wide, pinned }: { wide?: boolean; pinned?: boolean }): string {
  return classes(wide && 'max-lg:hidden', pinned && 'sticky right-0 bg-surface')
}

/** A table of few rows. Long lists belong into a VirtualList. */
export function Table<Row>({ label, columns, rows, rowKey, onRowClick, selected, empty }: TableProps<Row>) {
  return (
    // A region that scrolls must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="relative overflow-x-auto rounded-[inherit]" tabIndex={0} role="region" aria-label={label}>
      <table className="w-full border-collapse text-[13px]">
        <thead>
          <tr className="border-b border-line text-left text-xs text-faint">
            {columns.map((column) => (
              <th key={column.key} scope="col" className={classes('px-4 py-2 font-medium whitespace-nowrap', column.align === 'right' && 'text-right', placeOf(column))}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = rowKey(row)
            return (
              <tr
                key={key}
                onClick={onRowClick && (() => onRowClick(row))}
                className={classes('border-b border-line last:border-b-0', onRowClick && 'cursor-pointer hover:bg-hover', key === selected && 'bg-accent-soft')}
              >
                {columns.map((column) => (
                  <td key={column.key} className={classes('px-4 py-2 align-middle', column.align === 'right' && 'text-right whitespace-nowrap tabular-nums', placeOf(column), column.className)}>
                    {column.render(row)}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
      {rows.length === 0 && empty && <div className="px-4 py-8 text-center text-[13px] text-muted">{empty}</div>}
    </div>
  )
}
