import { useId, useMemo } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import type { SchemaDocument } from '../schema/document'
import { problemOf, type Problem } from '../schema/problems'
import { Draft, pointer, valueAt, type Value } from '../schema/value'
import type { FormState } from '../store'
import { words } from '../words'
import { FormContext, type Controls } from './context'
import { Control } from './control'
import { ArrayControl, TupleControl } from './list-control'
import { ObjectControl } from './object-control'
import { BooleanControl, ChoiceControl, ConstControl, NumberControl } from './simple-control'
import { StringControl } from './string-control'
import { problemText } from './trouble'
import { UnionControl } from './union-control'

const controls: Controls = {
  string: StringControl,
  number: NumberControl,
  boolean: BooleanControl,
  choice: ChoiceControl,
  const: ConstControl,
  object: ObjectControl,
  array: ArrayControl,
  tuple: TupleControl,
  union: UnionControl,
}

interface SchemaFormProps {
  document: SchemaDocument
  form: FormState
  update: (change: (form: FormState) => Partial<FormState>) => void
  problems: readonly Problem[]
  /** Whether what is missing is already held against the reader. */
  strict: boolean
  /** The id of what names the form. */
  labelledBy: string
}

/** The form of a whole schema. */
export function SchemaForm({ document, form, update, problems, strict, labelledBy }: SchemaFormProps) {
  const w = useWords(words)
  const id = useId()
  const access = useMemo(() => {
    const troubles = new Map<string, string[]>()
    // What nobody has come to yet is not held against anybody.
    const early = (one: Problem) => one.keyword === 'required' || isBlank(valueAt(form.value, one.path))
    for (const problem of problems.filter((one) => strict || !early(one))) {
      const place = pointer(problem.path)
      troubles.set(place, [...(troubles.get(place) ?? []), problemText(w, problem)])
    }
    return { document, form, update, troubles, controls }
  }, [document, form, update, problems, strict, w])
  const shape = document.shape(document.root, form.value)
  const found = access.troubles.get('')
  if (shape.kind === 'object' && shape.members.length === 0 && Object.keys(form.value ?? {}).length === 0 && isClosed(document)) {
    return <p className="text-[13px] text-muted">{w.noArguments}</p>
  }
  return (
    <FormContext value={access}>
      <Control shape={shape} schema={document.root} path={[]} value={form.value} ids={{ id, 'aria-labelledby': labelledBy }} label={w.arguments} kept={false} depth={0} />
      {found && <p className="mt-3 text-xs text-bad-text">{found.join('; ')}</p>}
    </FormContext>
  )
}

function isBlank(value: Value | undefined): boolean {
  return value instanceof Draft && value.text === ''
}

/** Whether a tool that names no arguments also says that there are none. */
function isClosed(document: SchemaDocument): boolean {
  const flat = document.flat(document.root)
  return typeof flat === 'object' && flat['additionalProperties'] === false
}

/** Everything that a schema has against a value; `undefined` when the schema cannot be read. */
export function findProblems(document: SchemaDocument, value: FormState['value']): Problem[] | undefined {
  return document.check(value)?.map((unit) => problemOf(unit, (at) => document.limit(at)))
}
