import { expect, test } from 'vitest'
import { fromPlain } from '../../../shared/lib/json'
import { isWeb, jsonIn, mediaAddress, partsOf } from './parts'

test('content is shown as what it is', () => {
  const parts = partsOf(fromPlain({
    content: [
      { type: 'text', text: 'hi' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
      { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'x' } },
      { type: 'resource', resource: { uri: 'file:///b', blob: 'AAAA' } },
      { type: 'resource_link', uri: 'https://e.x', name: 'n', title: 'T', description: 'd' },
      { type: 'video', x: 1 },
      { type: 'image' },
      7,
    ],
  }))
  expect(parts.map((part) => part.kind)).toEqual(['text', 'image', 'audio', 'resource', 'resource', 'link', 'unknown', 'unknown', 'unknown'])
  expect(parts[3]).toEqual({ kind: 'resource', uri: 'file:///a', type: 'text/plain', text: 'x' })
  expect(parts[5]).toMatchObject({ name: 'T', uri: 'https://e.x' })
  expect(partsOf(null)).toEqual([])
})

test('only images are images and only sounds are sounds', () => {
  expect(mediaAddress('image', 'image/png', 'AA AA\n')).toBe('data:image/png;base64,AAAA')
  expect(mediaAddress('image', 'text/html', 'AAAA')).toBeUndefined()
  expect(mediaAddress('image', 'image/png,<script>', 'AAAA')).toBeUndefined()
  expect(mediaAddress('audio', 'audio/mpeg', '<b>')).toBeUndefined()
})

test('JSON in a text is found, and other texts are left alone', () => {
  expect(jsonIn(' {"a":1}')).toEqual({ a: 1 })
  expect(jsonIn('12')).toBeUndefined()
  expect(jsonIn('{broken')).toBeUndefined()
})

test('only web addresses can be clicked', () => {
  expect([isWeb('https://e.x'), isWeb('javascript:alert(1)'), isWeb('file:///etc/passwd')]).toEqual([true, false, false])
})
