import type { Saying } from '../../../shared/api/failures'
import { dictionary, type Language } from '../../../shared/lib/i18n'
import type { Problem, Rule } from './problems'
import type { Refusal } from './rules'

/** The sentences for problems and refused connections. */
export const reasons = dictionary({
  en: {
    self: (label: string) => `“${label}” cannot lead to itself.`,
    unknown: (label: string) => `“${label}” does not exist.`,
    same: (label: string) => `It leads to “${label}” already.`,
    'start-input': (label: string) => `“${label}” begins the flow and takes no input.`,
    'end-output': (label: string) => `“${label}” ends the flow and has no output.`,
    'side-output': (label: string) => `“${label}” is fire and forget and has no output.`,
    'one-input': (label: string) => `“${label}” takes one input and has it already.`,
    'way-needed': (label: string) => `Choose the true or the false output of “${label}”.`,
    'way-taken': (label: string, way: string) => `The ${way} output of “${label}” leads somewhere already.`,
    outputs: (label: string, most: string) => `“${label}” has no free output; at most ${most} may leave it.`,
    'one-line': (label: string) => `“${label}” leads somewhere already; only a condition may have two ways.`,
    'closes-cycle': (label: string) => `This would lead back to “${label}”; there are no loops.`,
    'start-missing': () => 'Start node is missing.',
    'call-missing': () => 'MCP call node is missing.',
    'end-missing': () => 'End node is missing.',
    'step-missing': () => 'There is no step yet. Add an activity.',
    'no-path-to-call': () => 'No path from Start to MCP call.',
    'no-path-to-end': () => 'No path to End.',
    cycle: () => 'The workflow contains a cycle.',
    'unknown-type': (label: string, type: string) => `“${label}” has the type “${type}”, which is not known.`,
    'no-place': (label: string) => `“${label}” has no place in a session; use activities and conditions.`,
    'session-only': (label: string) => `“${label}” has a place in sessions only.`,
    'input-none': (label: string) => `“${label}” takes no input.`,
    'input-needed': (label: string) => `“${label}” needs an input.`,
    'input-many': (label: string, count: string) => `“${label}” takes one input and has ${count}.`,
    'output-needed': (label: string) => `“${label}” leads nowhere.`,
    'output-many': (label: string, count: string) => `“${label}” has ${count} outputs; only a condition may have two.`,
    'way-missing': (label: string, way: string) => `“${label}” needs a way for ${way}.`,
    'way-twice': (label: string, way: string) => `“${label}” has more than one way for ${way}.`,
    'way-lost': (label: string, way: string) => `The ${way} way of “${label}” does not lead to End.`,
    'way-odd': (label: string) => `“${label}” has an output that is neither true nor false.`,
    'same-id': (label: string) => `“${label}” has an id that another node has too.`,
    'loose-edge': (label: string, name: string) => `The edge “${label}” names the node “${name}”, which does not exist.`,
    'more-than-one': (label: string) => `“${label}” is one too many; there is exactly one of its kind.`,
    'off-path': (label: string) => `“${label}” is not on the path from Start to End.`,
    split: (label: string) => `“${label}” has more than one way to End; only a condition may have two.`,
    'no-script': (label: string) => `“${label}” has no script.`,
    'no-expression': (label: string) => `“${label}” has no expression.`,
    'no-values': (label: string) => `“${label}” sets nothing.`,
    'no-activity': (label: string) => `“${label}” names no activity.`,
    unread: (label: string) => `“${label}” has a value that cannot be read yet.`,
  },
  ja: {
    self: (label: string) => `「${label}」を自分自身に接続できません。`,
    unknown: (label: string) => `「${label}」は存在しません。`,
    same: (label: string) => `すでに「${label}」に接続されています。`,
    'start-input': (label: string) => `「${label}」はフローの始まりなので、入力を受け取れません。`,
    'end-output': (label: string) => `「${label}」はフローの終わりなので、出力がありません。`,
    'side-output': (label: string) => `「${label}」は待たないフックなので、出力がありません。`,
    'one-input': (label: string) => `「${label}」の入力は 1 つだけで、すでに接続されています。`,
    'way-needed': (label: string) => `「${label}」の真または偽の出力を選んでください。`,
    'way-taken': (label: string, way: string) => `「${label}」の${way === 'true' ? '真' : '偽'}の出力は、すでに接続されています。`,
    outputs: (label: string, most: string) => `「${label}」に空いている出力がありません。出力は最大 ${most} 個です。`,
    'one-line': (label: string) => `「${label}」はすでに接続されています。分岐できるのは条件分岐だけです。`,
    'closes-cycle': (label: string) => `「${label}」に戻ってしまいます。ループは作れません。`,
    'start-missing': () => '開始ノードがありません。',
    'call-missing': () => 'MCP 呼び出しノードがありません。',
    'end-missing': () => '終了ノードがありません。',
    'step-missing': () => 'ステップがありません。アクティビティを追加してください。',
    'no-path-to-call': () => '開始から MCP 呼び出しへの経路がありません。',
    'no-path-to-end': () => '終了への経路がありません。',
    cycle: () => 'ワークフローにループがあります。',
    'unknown-type': (label: string, type: string) => `「${label}」の種類「${type}」は不明です。`,
    'no-place': (label: string) => `「${label}」はセッションでは使えません。アクティビティと条件分岐を使ってください。`,
    'session-only': (label: string) => `「${label}」はセッションでのみ使えます。`,
    'input-none': (label: string) => `「${label}」は入力を受け取れません。`,
    'input-needed': (label: string) => `「${label}」には入力が必要です。`,
    'input-many': (label: string, count: string) => `「${label}」の入力は 1 つですが、${count} 個あります。`,
    'output-needed': (label: string) => `「${label}」の行き先がありません。`,
    'output-many': (label: string, count: string) => `「${label}」の出力が ${count} 個あります。分岐できるのは条件分岐だけです。`,
    'way-missing': (label: string, way: string) => `「${label}」には${way === 'true' ? '真' : '偽'}の経路が必要です。`,
    'way-twice': (label: string, way: string) => `「${label}」には${way === 'true' ? '真' : '偽'}の経路が 2 つ以上あります。`,
    'way-lost': (label: string, way: string) => `「${label}」の${way === 'true' ? '真' : '偽'}の経路が終了に続いていません。`,
    'way-odd': (label: string) => `「${label}」に真でも偽でもない出力があります。`,
    'same-id': (label: string) => `「${label}」の ID はほかのノードと重複しています。`,
    'loose-edge': (label: string, name: string) => `接続「${label}」の先のノード「${name}」は存在しません。`,
    'more-than-one': (label: string) => `「${label}」は余分です。この種類は 1 つだけです。`,
    'off-path': (label: string) => `「${label}」は開始から終了への経路上にありません。`,
    split: (label: string) => `「${label}」から終了への経路が複数あります。分岐できるのは条件分岐だけです。`,
    'no-script': (label: string) => `「${label}」にスクリプトがありません。`,
    'no-expression': (label: string) => `「${label}」に式がありません。`,
    'no-values': (label: string) => `「${label}」は値を設定していません。`,
    'no-activity': (label: string) => `「${label}」にアクティビティがありません。`,
    unread: (label: string) => `「${label}」に、まだ読み取れない値があります。`,
  },
})

type Reasons = (typeof reasons)['ja']

/** Why a connection was refused, in words. */
export function refusalText(words: Reasons, { rule, label, detail }: Refusal): string {
  return words[rule === 'cycle' ? 'closes-cycle' : rule](label, detail ?? '')
}

const one = (label: string): string => (label === '' ? 'ワークフロー' : `「${label}」`)

/** What the gateway finds and the page does not, by its rule; the gateway's own words stand below. */
export const ruled: Record<Rule, (label: string) => string> = {
  'start-missing': reasons.ja['start-missing'],
  'call-missing': reasons.ja['call-missing'],
  'end-missing': reasons.ja['end-missing'],
  'step-missing': reasons.ja['step-missing'],
  'no-path-to-call': reasons.ja['no-path-to-call'],
  'no-path-to-end': reasons.ja['no-path-to-end'],
  cycle: reasons.ja.cycle,
  'unknown-type': (label) => `${one(label)}の種類が不明です。`,
  misplaced: (label) => `${one(label)}はこの種類のワークフローでは使えません。`,
  inputs: (label) => `${one(label)}の入力の数が正しくありません。`,
  outputs: (label) => `${one(label)}の出力が正しくありません。`,
  'same-id': reasons.ja['same-id'],
  'loose-edge': (label) => `接続${one(label)}の先のノードがありません。`,
  'more-than-one': reasons.ja['more-than-one'],
  'off-path': reasons.ja['off-path'],
  split: reasons.ja.split,
  'around-call': (label) => `${one(label)}から MCP 呼び出しを通らずに終了へ進めてしまいます。`,
  name: () => 'ワークフローの名前を確認してください。',
  'name-taken': () => 'この名前はほかのセッションワークフローが使っています。',
  activity: (label) => `${one(label)}のアクティビティを確認してください。`,
  data: (label) => `${one(label)}の設定を確認してください。`,
  script: (label) => `${one(label)}のスクリプトを確認してください。`,
  'no-effect': (label) => `${one(label)}は待たないフックなので、エラー時の設定は効果がありません。`,
}

/** A problem in words. */
export function problemSaying(language: Language, { code, sentence, label = '', detail, message }: Problem): Saying {
  if (sentence !== 'server') return { text: reasons[language][sentence](label, detail ?? '') }
  const own = message ?? ''
  const text = language === 'ja' ? ruled[code]?.(label) : undefined
  return text === undefined ? { text: own } : { text, own }
}
