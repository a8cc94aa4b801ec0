import { expect, test } from 'vitest'
import { parseMetrics, quantile, select } from './metrics'

const text = `# HELP a_total Things.
# TYPE a_total counter
a_total{server="s",tool="x \\"y\\" \\\\ z"} 3
a_total{server="t",tool="q"} 4
up 1.5
h_bucket{hook="g",le="0.1"} 0
h_bucket{hook="g",le="0.2"} 10
h_bucket{hook="g",le="+Inf"} 10
h_sum{hook="g"} 1.25
`

test('samples have names, labels and values', () => {
  const samples = parseMetrics(text)
  expect(select(samples, 'a_total', { server: 's' })).toEqual([
    { name: 'a_total', labels: { server: 's', tool: 'x "y" \\ z' }, value: 3 },
  ])
  expect(select(samples, 'a_total').map(({ value }) => value)).toEqual([3, 4])
  expect(select(samples, 'up')).toMatchObject([{ value: 1.5 }])
  expect(select(samples, 'none')).toEqual([])
})

test('a quantile lies within its bucket', () => {
  const samples = parseMetrics(text)
  expect(quantile(samples, 'h', 0.95, { hook: 'g' })).toBeCloseTo(0.195)
  expect(quantile(samples, 'h', 0.95, { hook: 'none' })).toBeUndefined()
  expect(quantile(parseMetrics('h_bucket{le="1"} 0\nh_bucket{le="+Inf"} 3\n'), 'h', 0.95)).toBe(1)
})
