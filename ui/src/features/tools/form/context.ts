import { createContext, useContext, type ComponentType } from 'react'
import type { SchemaDocument } from '../schema/document'
import type { Schema } from '../schema/merge'
import type { Shape } from '../schema/shape'
import { pointer, type Path, type Value } from '../schema/value'
import { blank, documentOf, withOrder, withParts, withValue, type FormState } from '../store'

/** What the fields of one form share. */
export interface FormAccess {
  document: SchemaDocument
  form: FormState
  /** What is wrong, by place. */
  troubles: ReadonlyMap<string, string[]>
  update: (change: (form: FormState) => Partial<FormState>) => void
  /** The control of each kind. They come from above, because those that hold fields hold each other. */
  controls: Controls
}

export type Controls = { [K in Shape['kind']]?: ComponentType<ControlProps<K>> }

export const FormContext = createContext<FormAccess>({
  document: documentOf(true),
  form: blank({}),
  troubles: new Map(),
  update: () => {},
  controls: {},
})

/** The form around a field, with the ways to change it. */
export function useForm() {
  const access = useContext(FormContext)
  return {
    ...access,
    change: (path: Path, next: Value | undefined) => access.update(withValue(path, next)),
    /** Moves and removes items. */
    reorder: (path: Path, list: readonly Value[], order: readonly number[]) => access.update(withOrder(path, list, order)),
    /** Adds, renames and removes parts; what was chosen for one goes to its new key, or away. */
    rekey: (path: Path, next: Value | undefined, keyOf: (key: string) => string | undefined) => access.update(withParts(path, next, keyOf)),
    setAsJson: (path: Path, on: boolean) => access.update((form) => ({ asJson: { ...form.asJson, [pointer(path)]: on } })),
  }
}

/** The ids that tie a control to its label, its description and its trouble. */
export interface Ids {
  id: string
  'aria-labelledby': string
  'aria-describedby'?: string
  'aria-invalid'?: true
}

/** What every control is given. */
export interface ControlProps<K extends Shape['kind'] = Shape['kind']> {
  shape: Extract<Shape, { kind: K }>
  schema: Schema
  path: Path
  value: Value | undefined
  ids: Ids
  label: string
  /** Whether it keeps its place when it is emptied: an item, or a member that only the value names. */
  kept: boolean
  /** How many choices of variants stand above this one at the same place. */
  depth: number
}
