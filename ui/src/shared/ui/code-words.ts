import type { Language } from '../lib/i18n'

/** How the keyboard gets out of an editor in which Tab indents. */
export const leaving: Record<Language, string> = {
  en: 'Tab indents. To leave the editor, press Ctrl+M (on a Mac Shift+Option+M), then Tab.',
  ja: 'Tab で字下げします。エディターから出るには、Ctrl+M（Mac では Shift+Option+M）に続けて Tab を押します。',
}

/** What the code editor says of its own, by its English words; it knows no other language. */
export const phrases: Record<Language, Record<string, string>> = {
  en: {},
  ja: {
    // Finding and replacing
    Find: '検索',
    Replace: '置換',
    next: '次へ',
    previous: '前へ',
    all: 'すべて選択',
    'match case': '大文字と小文字を区別',
    regexp: '正規表現',
    'by word': '単語単位',
    replace: '置換',
    'replace all': 'すべて置換',
    close: '閉じる',
    'current match': '現在の一致',
    'on line': '行',
    'replaced match on line $': '$ 行目の一致を置換しました',
    'replaced $ matches': '$ 件を置換しました',
    'Go to line': '行へ移動',
    go: '移動',
    // The rest
    Completions: '補完候補',
    Diagnostics: '問題',
    'No diagnostics': '問題はありません',
    'Control character': '制御文字',
    'Selection deleted': '選択範囲を削除しました',
  },
}
