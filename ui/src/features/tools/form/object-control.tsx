import { useState } from 'react'
import { memberText } from '../../../shared/lib/apart'
import { isComposing } from '../../../shared/lib/composing'
import { useWords } from '../../../shared/lib/i18n'
import { Button, IconButton, TextField } from '../../../shared/ui'
import type { Schema } from '../schema/merge'
import { isValueObject, pointer, renameKey, setAt, type Path, type ValueObject } from '../schema/value'
import { words } from '../words'
import { useForm, type ControlProps } from './context'
import { SchemaField } from './field'

/** The members that the schema names, then all others that the value has. */
export function ObjectControl({ shape, path, value }: ControlProps<'object'>) {
  const { document } = useForm()
  const known = new Set(shape.members.map((member) => member.name))
  const object = isValueObject(value) ? value : {}
  const others = Object.keys(object).filter((key) => !known.has(key))
  const titleOf = (schema: Schema) => document.shape(schema).title
  return (
    <div className={path.length === 0 ? 'flex flex-col gap-4' : 'flex flex-col gap-3 border-l-2 border-line pl-3'}>
      {shape.members.map((member) => (
        <SchemaField
          key={member.name}
          schema={member.schema}
          path={[...path, member.name]}
          name={memberText(member.name)}
          label={<MemberLabel name={member.name} title={titleOf(member.schema)} />}
          required={member.required}
        />
      ))}
      {others.length > 0 || shape.rest !== false ? <Others path={path} object={object} names={others} rest={shape.rest} isMap={known.size === 0} /> : null}
    </div>
  )
}

function MemberLabel({ name, title }: { name: string; title: string | undefined }) {
  const same = memberText(name, title) === memberText(name) || title === undefined || title.toLowerCase().replaceAll(/[\s_-]/g, '') === name.toLowerCase().replaceAll(/[\s_-]/g, '')
  return same ? memberText(name) : <>{title} <span className="font-mono text-xs font-normal text-muted">{memberText(name)}</span></>
}

/** Members without a place in the schema: as many as one likes, with names of one's own. */
function Others({ path, object, names, rest, isMap }: { path: Path; object: ValueObject; names: string[]; rest: Schema; isMap: boolean }) {
  const w = useWords(words)
  const { document, rekey } = useForm()
  const [name, setName] = useState('')
  // A map asks for names at once; an object whose members are known keeps the possibility in the background.
  const [open, setOpen] = useState(isMap)
  const taken = name === '' || Object.hasOwn(object, name)
  const add = () => {
    if (taken) return
    // Nothing that is remembered of a member which had that name once belongs to the new one.
    rekey(path, setAt(object, [name], document.empty(rest === false ? true : rest)), (key) => (key === name ? undefined : key))
    setName('')
  }
  return (
    <div role="group" aria-label={w.others} className="flex flex-col gap-3">
      {names.map((key, index) => (
        <SchemaField
          key={index}
          schema={rest === false ? true : rest}
          path={[...path, key]}
          name={memberText(key)}
          kept
          label={<NameInput object={object} name={key} path={path} />}
          actions={<IconButton icon="trash" size="small" label={`${w.remove}: ${memberText(key)}`} onClick={() => rekey(path, setAt(object, [key], undefined), (one) => (one === key ? undefined : one))} />}
        />
      ))}
      {rest !== false && !open && <Button look="quiet" size="small" icon="plus" className="-ml-2 self-start" onClick={() => setOpen(true)}>{w.addMember}</Button>}
      {rest !== false && open && (
        <div className="flex items-center gap-2">
          <TextField
            aria-label={`${w.memberName} ${pointer(path)}`.trim()}
            autoFocus={!isMap}
            placeholder={w.memberName}
            value={name}
            onChange={(event) => setName(event.target.value)}
            onKeyDown={(event) => event.key === 'Enter' && !isComposing(event) && add()}
            className="h-7! max-w-44 font-mono text-xs"
          />
          <Button size="small" icon="plus" disabled={taken} onClick={add}>{w.addMember}</Button>
        </div>
      )}
    </div>
  )
}

/** The name of a member, which takes effect when one leaves it and it is free. */
function NameInput({ object, name, path }: { object: ValueObject; name: string; path: Path }) {
  const w = useWords(words)
  const { rekey } = useForm()
  const [typed, setTyped] = useState(name)
  const [shown, setShown] = useState(name)
  if (shown !== name) {
    setShown(name)
    setTyped(name)
  }
  const rename = () => {
    const renamed = renameKey(object, name, typed)
    if (renamed === object) setTyped(name)
    // What a member that had the name before left behind is not that of this one.
    else rekey(path, renamed, (key) => (key === name ? typed : key === typed ? undefined : key))
  }
  return (
    <TextField
      aria-label={`${w.memberName}: ${memberText(name)}`}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={rename}
      className="h-7! w-44! font-mono text-xs"
    />
  )
}
