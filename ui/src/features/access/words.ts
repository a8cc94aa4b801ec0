import { dictionary } from '../../shared/lib/i18n'

export const words = dictionary({
  en: {
    title: 'Sign in',
    about: 'This gateway needs a key. Whoever runs it can make one for you with “lockgate key create”.',
    key: 'Key',
    show: 'Show the key',
    hide: 'Hide the key',
    signIn: 'Sign in',
    wrong: 'This key is not known here, or it has expired. Please check it.',
    tooMany: (seconds: number) => `Too many attempts. Please wait ${seconds} s and try again.`,
    kept: 'The key itself is not kept in this browser.',
    noRole: (name: string) => `The key “${name}” may call tools, but it has no role for this page. Please sign in with another key.`,
    signOut: 'Sign out',
  },
  ja: {
    title: 'サインイン',
    about: 'このゲートウェイの利用にはキーが必要です。管理者が「lockgate key create」で作成できます。',
    key: 'キー',
    show: 'キーを表示',
    hide: 'キーを隠す',
    signIn: 'サインイン',
    wrong: 'キーが正しくないか、期限が切れています。確認してください。',
    tooMany: (seconds: number) => `試行回数が多すぎます。${seconds} 秒待ってからもう一度お試しください。`,
    kept: 'キー自体はこのブラウザーに保存されません。',
    noRole: (name: string) => `キー「${name}」はツールを呼び出せますが、このページを使うロールがありません。別のキーでサインインしてください。`,
    signOut: 'サインアウト',
  },
})
