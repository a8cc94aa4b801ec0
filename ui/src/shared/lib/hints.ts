import { dictionary } from './i18n'

export const hintWords = dictionary({
  en: {
    command: 'The program was not found. Install it or write its full path; a server only sees the PATH that inheritEnv gives it.',
    port: 'The server wants a port that another program uses. Stop that program, or give the server another port.',
    home: 'The server wants HOME, which servers do not get by default. Add inheritEnv: [PATH, HOME] to it.',
    package: 'A package of the server is missing. Install it, or run the command once by hand to see.',
    variable: 'The server wants an environment variable or a key. Set it under envs.',
    permission: 'The user that runs the gateway may not execute or read it.',
    slow: 'The server is slow or waits for something. npx and uvx download on first use: run it once by hand, then restart it here.',
    file: 'A file or folder in the command or its arguments does not exist. Relative paths start where the gateway runs.',
    outbound: 'It was added over the API: add its origin to outbound.allow in the config file.',
    refused: 'Nothing listens there. Start the server, and compare host and port of its url.',
    credentials: 'The server wants other credentials. Set them under headers.',
    name: 'The name is not known here. Compare the host of its url.',
    certificate: 'The certificate is not trusted here. For an authority of your own, name its file in SSL_CERT_FILE.',
    path: 'Look at the path of its url, which often ends with /mcp or /sse.',
    redirect: 'Redirects are not followed. Write the address where it leads as the url.',
  },
  ja: {
    command: 'プログラムが見つかりません。インストールするか、フルパスで指定してください。サーバーから見える PATH は inheritEnv で渡したものだけです。',
    port: 'サーバーが使うポートは他のプログラムが使用中です。そのプログラムを止めるか、別のポートを指定してください。',
    home: 'サーバーは HOME を必要としていますが、既定では渡されません。inheritEnv: [PATH, HOME] を追加してください。',
    package: 'サーバーのパッケージが足りません。インストールするか、一度コマンドを手動で実行して確認してください。',
    variable: 'サーバーは環境変数またはキーを必要としています。envs に設定してください。',
    permission: 'ゲートウェイの実行ユーザーに実行権限または読み取り権限がありません。',
    slow: 'サーバーの起動に時間がかかっています。npx や uvx は初回にダウンロードを行います。一度手動で実行してから、ここで再起動してください。',
    file: 'コマンドまたは引数で指定したファイルかフォルダーがありません。相対パスはゲートウェイの実行場所が基準です。',
    outbound: 'API から追加したサーバーです。設定ファイルの outbound.allow にそのオリジンを追加してください。',
    refused: '接続先で待ち受けているプログラムがありません。サーバーを起動し、url のホストとポートを確認してください。',
    credentials: '認証情報が正しくありません。headers に設定してください。',
    name: 'ホスト名を解決できません。url のホストを確認してください。',
    certificate: '証明書を信頼できません。独自の認証局の場合は SSL_CERT_FILE に証明書のファイルを指定してください。',
    path: 'url のパスを確認してください。多くの場合 /mcp または /sse で終わります。',
    redirect: 'リダイレクトには対応していません。転送先のアドレスを url に指定してください。',
  },
})

export type Hint = keyof (typeof hintWords)['en']

// The more telling causes come first; `lockgate doctor` knows the same ones.
const causes: [Hint, RegExp][] = [
  ['command', /not found on path/],
  ['port', /eaddrinuse|address already in use|port is already/],
  ['outbound', /outbound\.allow/],
  ['refused', /connection refused|econnrefused/],
  ['credentials', /status 40[13]|forbidden|invalid token/],
  ['name', /lookup address|name has no address|name resolution/],
  ['certificate', /certificate|unknown authority|tls handshake/],
  ['redirect', /status 30[12378]/],
  ['path', /status 40[45]|neither json nor|address for messages/],
  ['home', /home is not|home environment|home directory|\$home|['"]home['"]|homedir|userprofile/],
  ['package', /cannot find module|modulenotfounderror|no module named|could not determine executable/],
  ['variable', /api[ _]key|unauthorized|environment variable|is not set|must be set/],
  ['permission', /permission denied|eacces|not executable/],
  ['slow', /within 10 seconds|timed out/],
  ['file', /does not exist|no such file|enoent/],
]

/** The usual cause behind the reason and the last lines of a server, when there is one. */
export function hintFor(reason: string | null | undefined, lines: readonly string[]): Hint | null {
  const text = [reason ?? '', ...lines].join('\n').toLowerCase()
  return causes.find(([, words]) => words.test(text))?.[0] ?? null
}
