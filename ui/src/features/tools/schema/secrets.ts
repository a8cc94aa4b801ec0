import type { SchemaDocument } from './document'
import { emptyObject, isObject, type Json } from '../../../shared/lib/json'
import type { Schema } from './merge'

/** A copy without the values that the schema calls secret (`format: password`, `writeOnly`). */
export function withoutSecrets(document: SchemaDocument, value: Json, schema: Schema = document.root): Json {
  const shape = document.shape(schema, value)
  if (shape.kind === 'union') {
    const variant = shape.variants[document.variant(shape.variants, value)]
    return variant ? withoutSecrets(document, value, variant.schema) : value
  }
  if (Array.isArray(value)) {
    const items = shape.kind === 'array' ? shape.items : true
    return value.map((item) => withoutSecrets(document, item, items))
  }
  if (!isObject(value) || shape.kind !== 'object') return value
  const out = emptyObject()
  for (const [key, item] of Object.entries(value)) {
    const member = shape.members.find((one) => one.name === key)
    const own = member?.schema ?? shape.rest
    const inner = document.shape(own, item)
    if (!(inner.kind === 'string' && inner.secret)) out[key] = withoutSecrets(document, item, own)
  }
  return out
}
