import { expect, test } from 'vitest'
import type { Session } from './api'
import { segmentsOf } from './segments'

const entry = (stepIndex: number, success = true): Session['history'][number] => ({ stepIndex, activityName: 'a', startedAt: 0, completedAt: 1, success })

test('each step is done, under way, waiting, failed or open', () => {
  expect(segmentsOf({ totalSteps: 4, history: [entry(0)], running: { stepIndex: 2, since: 0 } })).toEqual(['done', 'done', 'running', 'open'])
  const waiting = { for: 'event', stepIndex: 1, activityName: 'a', event: 'e', since: 0 } as never
  expect(segmentsOf({ totalSteps: 3, history: [entry(0, false)], waiting })).toEqual(['failed', 'waiting', 'open'])
  expect(segmentsOf({ totalSteps: 2, history: [] })).toEqual(['open', 'open'])
})
