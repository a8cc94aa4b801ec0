import { closestCenter, DndContext, KeyboardSensor, PointerSensor, useSensor, useSensors, type Announcements, type DragEndEvent, type UniqueIdentifier } from '@dnd-kit/core'
import { arrayMove, SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { hooksQuery } from '../../../shared/api/queries'
import { useWords } from '../../../shared/lib/i18n'
import { useSteady } from '../../../shared/lib/steady'
import { useToast } from '../../../shared/ui'
import { reorderHooks } from '../api'
import type { Hook } from '../model'
import { words } from '../words'
import { HookRow } from './hook-row'

interface HookListProps {
  hooks: Hook[]
  selected: string | undefined
  unsaved: ReadonlySet<string>
  /** The time that 95 of 100 runs of a hook stay below, in milliseconds, by its name. */
  p95: ReadonlyMap<string, number>
  onSelect: (id: string) => void
  onEnable: (hook: Hook, enabled: boolean) => void
}

// The same at every rendering: with others the rows would all be drawn anew.
const POINTER = { activationConstraint: { distance: 4 } }
const KEYBOARD = { coordinateGetter: sortableKeyboardCoordinates }

/** The hooks in their order, which can be changed by pointer, by keyboard and by buttons. */
export function HookList({ hooks, selected, unsaved, p95, onSelect, onEnable }: HookListProps) {
  const w = useWords(words)
  const reorder = useReorder()
  const sensors = useSensors(
    useSensor(PointerSensor, POINTER),
    useSensor(KeyboardSensor, KEYBOARD),
  )
  const ids = useMemo(() => hooks.map((hook) => hook.id), [hooks])
  const move = (from: number, to: number) => {
    if (to >= 0 && to < ids.length && from !== to) reorder.mutate(arrayMove(ids, from, to))
  }
  const acts = useSteady({ onSelect, onEnable, onMove: (id: string, by: 1 | -1) => move(ids.indexOf(id), ids.indexOf(id) + by) })
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    if (over) move(ids.indexOf(String(active.id)), ids.indexOf(String(over.id)))
  }
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={onDragEnd}
      accessibility={{ announcements: useAnnouncements(hooks), screenReaderInstructions: { draggable: w.dragHelp } }}
    >
      <SortableContext items={ids} strategy={verticalListSortingStrategy}>
        <ol aria-label={w.list} className="flex flex-col gap-1">
          {hooks.map((hook, index) => (
            <HookRow
              key={hook.id}
              hook={hook}
              place={index + 1}
              last={index === hooks.length - 1}
              current={hook.id === selected}
              unsaved={unsaved.has(hook.id)}
              p95={p95.get(hook.name)}
              acts={acts}
            />
          ))}
        </ol>
      </SortableContext>
    </DndContext>
  )
}

/** Shows the new order at once and takes it back when the gateway refuses. */
function useReorder() {
  const w = useWords(words)
  const client = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: reorderHooks,
    onMutate: async (ids) => {
      await client.cancelQueries({ queryKey: hooksQuery.queryKey, exact: true })
      const old = client.getQueryData(hooksQuery.queryKey)
      client.setQueryData(hooksQuery.queryKey, (list) => list && ids.flatMap((id) => list.find((hook) => hook.id === id) ?? []))
      return { old }
    },
    onError: (error, _, context) => {
      if (context?.old) client.setQueryData(hooksQuery.queryKey, context.old)
      toast({ tone: 'bad', title: w.failed, error })
    },
    onSettled: () => client.invalidateQueries({ queryKey: hooksQuery.queryKey, exact: true }),
  })
}

function useAnnouncements(hooks: Hook[]): Announcements {
  const w = useWords(words)
  const name = (id: UniqueIdentifier) => hooks.find((hook) => hook.id === id)?.name ?? ''
  const place = (id: UniqueIdentifier) => hooks.findIndex((hook) => hook.id === id) + 1
  return {
    onDragStart: ({ active }) => w.picked(name(active.id)),
    onDragOver: ({ active, over }) => over ? w.over(name(active.id), place(over.id), hooks.length) : undefined,
    onDragEnd: ({ active, over }) => w.put(name(active.id), place(over?.id ?? active.id), hooks.length),
    onDragCancel: ({ active }) => w.dragCancelled(name(active.id)),
  }
}
