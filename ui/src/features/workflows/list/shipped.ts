/** The templates that come with the product, in the words of the page's language. The API tells them in English. */
import type { Language } from '../../../shared/lib/i18n'
import type { Template } from '../api'

interface Words {
  name: string
  description: string
  parameters?: Readonly<Record<string, string>>
}

const japanese: Readonly<Record<string, Words>> = {
  'redact-secrets': {
    name: '秘密情報の伏せ字',
    description: '応答に含まれる秘密情報や個人情報を置き換えます。',
    parameters: {
      patterns: '正規表現、または email、creditCard、jwt、apiKey、ipAddress',
      replacement: '一致した箇所を置き換える文字列',
    },
  },
  'allow-list': {
    name: '許可リスト',
    description: '指定したツールだけを呼び出せるようにします。',
    parameters: { tools: '呼び出しを許可するツールの名前（サーバーでの名前）' },
  },
  'hide-tools': {
    name: 'ツールを隠す',
    description: '一覧からツールを除きます。呼び出しはできるため、禁止するには許可リストを使います。',
    parameters: { tools: '表示しないツールの名前（一覧での名前）' },
  },
  'argument-defaults': {
    name: '引数の既定値',
    description: 'ツールの呼び出しで省略された引数を補います。',
    parameters: { tool: 'ツールの名前（サーバーでの名前）', defaults: '引数の名前と値' },
  },
  'guard-arguments': {
    name: '引数の検査',
    description: '引数の文字列がパターンに一致する呼び出しをブロックします。',
    parameters: { patterns: '正規表現（大文字と小文字は区別しません）', message: 'クライアントに伝えるメッセージ' },
  },
  'log-calls': {
    name: '呼び出しの記録',
    description: '呼び出しごとに、クライアント、ツール、時間、結果をログに書きます。呼び出しは待たせません。',
  },
  'slow-call-alarm': {
    name: '遅い呼び出しの警告',
    description: '時間がかかった呼び出しの警告をログに書きます。呼び出しは待たせません。',
    parameters: { thresholdMs: '何ミリ秒以上を遅いとみなすか' },
  },
  'shape-replies': {
    name: '応答の整形',
    description: '応答の長い文字列を短くし、モデルに流れ込みすぎないようにします。',
    parameters: { maxCharacters: '文字列を何文字まで残すか' },
  },
  'cache-read-only-calls': {
    name: '読み取り専用の呼び出しをキャッシュ',
    description: '読み取り専用とされたツールの応答を保存し、同じ引数の呼び出しに返します。ほかのツールは通常どおり呼び出されます。',
    parameters: { ttlMs: '応答を保存するミリ秒数', maxEntries: '保存する応答の最大数' },
  },
  'log-and-count': {
    name: '記録と集計',
    description: 'ツールごとの呼び出し回数を変数に保存し、1 件ずつログに書きます。呼び出しは保存が終わるまで待ちます。待たせたくない場合は「呼び出しの記録」を使います。',
  },
  'retry-once': {
    name: '1 回だけ再試行',
    description: '途中で失敗した呼び出しを、ツールが冪等または読み取り専用とされている場合に 1 回だけやり直します。ツールが返した結果は、エラーも含めてそのまま使います。',
    parameters: { backoffMs: '2 回目までに待つミリ秒数' },
  },
}

/** A template in a language; what a user or an operator wrote stays as it is. */
export function inLanguage(template: Template, language: Language): Template {
  const words = template.source === 'shipped' && language === 'ja' ? japanese[template.id] : undefined
  if (words === undefined) return template
  const { name, description } = words
  const parameters = template.parameters.map((one) => ({ ...one, description: words.parameters?.[one.name] ?? one.description }))
  return { ...template, name, description, parameters }
}
