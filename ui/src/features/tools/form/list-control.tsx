import { useWords } from '../../../shared/lib/i18n'
import { Button, IconButton } from '../../../shared/ui'
import type { Schema } from '../schema/merge'
import { moveItem, type Path, type Value } from '../schema/value'
import { words } from '../words'
import { useForm, type ControlProps } from './context'
import { SchemaField } from './field'

/** Items of one kind, in an order that can be changed. */
export function ArrayControl({ shape, path, value }: ControlProps<'array'>) {
  const list = Array.isArray(value) ? value : []
  return (
    <Items path={path} list={list} add={list.length < shape.max ? shape.items : undefined}>
      {list.map((_, index) => (
        <Item key={index} path={path} list={list} index={index} schema={shape.items} fixed={0} />
      ))}
    </Items>
  )
}

/** Items with a kind of their own each, and perhaps more of another kind. */
export function TupleControl({ shape, path, value }: ControlProps<'tuple'>) {
  const list = Array.isArray(value) ? value : []
  const rest = shape.rest === false ? true : shape.rest
  const next = shape.items[list.length] ?? (shape.rest === false ? undefined : rest)
  return (
    <Items path={path} list={list} add={next}>
      {list.map((_, index) => (
        <Item key={index} path={path} list={list} index={index} schema={shape.items[index] ?? rest} fixed={shape.items.length} />
      ))}
    </Items>
  )
}

function Items({ path, list, add, children }: { path: Path; list: Value[]; add: Schema | undefined; children: React.ReactNode }) {
  const w = useWords(words)
  const { document, rekey } = useForm()
  // Nothing that is remembered of an item which stood there once belongs to the new one.
  const append = (schema: Schema) => rekey(path, [...list, document.empty(schema)], (key) => (Number(key) < list.length ? key : undefined))
  return (
    <div className="flex flex-col gap-3 border-l-2 border-line pl-3">
      {children}
      {add !== undefined && (
        <Button size="small" icon="plus" className="self-start border-dashed" onClick={() => append(add)}>
          {w.addItem}
        </Button>
      )}
    </div>
  )
}

interface ItemProps {
  path: Path
  list: Value[]
  index: number
  schema: Schema
  /** How many items at the start have their place. */
  fixed: number
}

function Item({ path, list, index, schema, fixed }: ItemProps) {
  const w = useWords(words)
  const { reorder, document } = useForm()
  const { title } = document.shape(schema)
  const name = title === undefined ? w.item(index + 1) : `${title} ${index + 1}`
  const places = [...list.keys()]
  const move = (to: number) => reorder(path, list, moveItem(places, index, to))
  const removable = index >= fixed || index === list.length - 1
  return (
    <SchemaField
      schema={schema}
      path={[...path, index]}
      name={name}
      label={name}
      kept
      actions={
        <>
          {index > fixed && <IconButton icon="up" size="small" label={`${w.moveUp}: ${name}`} onClick={() => move(index - 1)} />}
          {index >= fixed && index < list.length - 1 && <IconButton icon="down" size="small" label={`${w.moveDown}: ${name}`} onClick={() => move(index + 1)} />}
          {removable && <IconButton icon="trash" size="small" label={`${w.remove}: ${name}`} onClick={() => reorder(path, list, places.filter((place) => place !== index))} />}
        </>
      }
    />
  )
}
