import { isObject, parse, type Json, type JsonObject } from '../../../shared/lib/json'

/** A part of a result's content, as what it is. */
export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'image' | 'audio'; type: string; data: string }
  | { kind: 'resource'; uri: string; type: string; text?: string; data?: string }
  | { kind: 'link'; uri: string; name: string; description: string; type: string }
  | { kind: 'unknown'; value: Json }

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** The parts of a result; what is of an unknown kind, or not whole, is shown as it came. */
export function partsOf(result: Json): Part[] {
  const content = isObject(result) ? result['content'] : undefined
  return Array.isArray(content) ? content.map(partOf) : []
}

function partOf(value: Json): Part {
  if (!isObject(value)) return { kind: 'unknown', value }
  switch (value['type']) {
    case 'text':
      return typeof value['text'] === 'string' ? { kind: 'text', text: value['text'] } : { kind: 'unknown', value }
    case 'image':
    case 'audio':
      return typeof value['data'] === 'string'
        ? { kind: value['type'], type: text(value['mimeType']), data: value['data'] }
        : { kind: 'unknown', value }
    case 'resource':
      return isObject(value['resource']) ? resourceOf(value['resource']) : { kind: 'unknown', value }
    case 'resource_link':
      return { kind: 'link', uri: text(value['uri']), name: text(value['title']) || text(value['name']), description: text(value['description']), type: text(value['mimeType']) }
    default:
      return { kind: 'unknown', value }
  }
}

function resourceOf(resource: JsonObject): Part {
  return {
    kind: 'resource',
    uri: text(resource['uri']),
    type: text(resource['mimeType']),
    ...(typeof resource['text'] === 'string' ? { text: resource['text'] } : {}),
    ...(typeof resource['blob'] === 'string' ? { data: resource['blob'] } : {}),
  }
}

/** Kinds of images and sounds that a page may show; drawings that can hold scripts stay out of it as documents. */
export function mediaAddress(kind: 'image' | 'audio', type: string, data: string): string | undefined {
  const plain = type.toLowerCase()
  if (!new RegExp(String.raw`^${kind}/[\w.+-]+$`).test(plain) || !/^[A-Za-z0-9+/=\s]*$/.test(data)) return undefined
  return `data:${plain};base64,${data.replaceAll(/\s/g, '')}`
}

/** The JSON in a text, when it is an object or a list. */
export function jsonIn(value: string): Json | undefined {
  if (!/^\s*[[{]/.test(value)) return undefined
  try {
    return parse(value)
  } catch {
    return undefined
  }
}

/** An address that a click may open. */
export function isWeb(uri: string): boolean {
  return /^https?:\/\//i.test(uri)
}
