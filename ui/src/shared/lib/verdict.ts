import { dictionary } from './i18n'

/** What came of a hook, in words; the gateway's own word for what is not known here. */
export const verdictWords = dictionary({
  en: {
    continue: 'goes on',
    changed: 'goes on, changed',
    answered: 'answers itself',
    replaced: 'gives another reply',
    blocked: 'blocked',
    failed: 'failed',
    cancelled: 'under way when its client left',
    launched: 'started, not awaited',
    tripped: 'passed over after too many failures',
  },
  ja: {
    continue: '続行',
    changed: '変更して続行',
    answered: '自ら応答',
    replaced: '応答を差し替え',
    blocked: '遮断',
    failed: '失敗',
    cancelled: '実行中にクライアントが離脱',
    launched: '開始（待機なし）',
    tripped: '失敗が続いたため省略',
  },
})

/** What a hook did to a request, as short as a node on a canvas needs it. */
export const deedWords = dictionary({
  en: { changed: 'Changed', answered: 'Answered', replaced: 'Other reply', blocked: 'Blocked' },
  ja: { changed: '変更', answered: '自ら応答', replaced: '応答を差し替え', blocked: '遮断' },
})

/** The word for a verdict. */
export function verdictText(words: (typeof verdictWords)['ja'], verdict: string): string {
  return verdict in words ? words[verdict as keyof typeof words] : verdict
}
