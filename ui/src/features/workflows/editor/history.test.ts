import { expect, test } from 'vitest'
import { EMPTY, type History, noted, redone, undone } from './history'

test('what was undone comes back, until something else is done', () => {
  let history: History<string> = EMPTY
  history = noted(history, 'a')
  history = noted(history, 'b')
  const back = undone(history, 'c')
  expect(back?.now).toBe('b')
  const further = back && undone(back.history, back.now)
  expect(further?.now).toBe('a')
  expect(further && undone(further.history, further.now)).toBeUndefined()
  const forward = further && redone(further.history, further.now)
  expect(forward?.now).toBe('b')
  const changed = forward && noted(forward.history, 'b')
  expect(changed && redone(changed, 'x')).toBeUndefined()
})

test('only so many steps are kept', () => {
  let history: History<number> = EMPTY
  for (let step = 0; step < 500; step += 1) history = noted(history, step)
  expect(history.past).toHaveLength(200)
  expect(history.past.at(-1)).toBe(499)
})
