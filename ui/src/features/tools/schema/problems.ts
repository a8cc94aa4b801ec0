/**
 * The findings of the validator, as people want them: the cause and not every schema above it, and of a
 * choice only what the nearest variant says.
 */
import type { OutputUnit } from '@cfworker/json-schema'
import type { Path } from './value'

/** One thing that is wrong with a value. */
export interface Problem {
  path: Path
  keyword: string
  /** The value of the keyword in the schema. */
  limit: unknown
  /** What the validator says, in English. */
  text: string
}

const WRAPPERS = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'allOf',
  '$ref',
  '$recursiveRef',
  'dependentSchemas',
  'dependencies',
])
/** Their messages name the member that they are about, which is one level deeper. */
const ABOUT_MEMBER = new Set(['required', 'properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'])
const CHOICES = ['anyOf', 'oneOf']

/** The findings without those that only say that another one exists. */
export function best(units: readonly OutputUnit[]): OutputUnit[] {
  // A schema that is `false` is told by the keyword that it stands under.
  let kept = units.filter((unit) => unit.keyword !== 'false')
  for (const unit of units.filter((one) => CHOICES.includes(one.keyword))) kept = nearest(kept, unit)
  return kept.filter((unit) => !wraps(unit, kept))
}

/** Keeps of the branches of one choice only the one with the least against it. */
function nearest(units: OutputUnit[], choice: OutputUnit): OutputUnit[] {
  const prefix = `${choice.keywordLocation}/`
  const branchOf = (unit: OutputUnit) =>
    unit.keywordLocation.startsWith(prefix) && unit.instanceLocation.startsWith(choice.instanceLocation)
      ? unit.keywordLocation.slice(prefix.length).split('/')[0]
      : undefined
  const weights = new Map<string, number>()
  for (const unit of units) {
    const branch = branchOf(unit)
    if (branch !== undefined) weights.set(branch, (weights.get(branch) ?? 0) + weight(unit, choice))
  }
  if (weights.size === 0) return units
  const [winner] = [...weights].reduce((a, b) => (b[1] < a[1] ? b : a))
  const kept = units.filter((unit) => [undefined, winner].includes(branchOf(unit)))
  // When every variant is of another type, only the choice itself is worth a word.
  const hopeless = (weights.get(winner) ?? 0) >= 100
  return kept.filter((unit) => (hopeless ? unit === choice || branchOf(unit) === undefined : unit !== choice))
}

function weight(unit: OutputUnit, choice: OutputUnit): number {
  if (unit.keyword === 'type' && unit.instanceLocation === choice.instanceLocation) return 100
  return unit.keyword === 'const' || unit.keyword === 'enum' ? 10 : 1
}

function wraps(unit: OutputUnit, all: readonly OutputUnit[]): boolean {
  const under = (prefix: string) => all.some((other) => other !== unit && other.keywordLocation.startsWith(prefix))
  if (unit.keyword === 'if') {
    const base = unit.keywordLocation.slice(0, -2)
    return under(`${base}then/`) || under(`${base}else/`)
  }
  return WRAPPERS.has(unit.keyword) && under(`${unit.keywordLocation}/`)
}

/** A finding with the path that it is about; a missing member is a finding about that member. */
export function problemOf(unit: OutputUnit, limit: (location: string) => unknown): Problem {
  const path: (string | number)[] = unit.instanceLocation
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
  const quoted = /"(.*)"/s.exec(unit.error)?.[1]
  if (ABOUT_MEMBER.has(unit.keyword) && quoted !== undefined) path.push(quoted)
  return { path, keyword: unit.keyword, limit: limit(unit.keywordLocation), text: unit.error }
}
