import type { CodeEditorProps } from './code-mirror'
import { late } from './late'
import { Loading } from './states'

export type { CodeEditorProps, CodeCompleter, CodeCompletion, CodeDiagnostic } from './code-mirror'

const loading = <div className="rounded-lg border border-line bg-surface"><Loading /></div>

/** A code editor that comes when it is needed. */
export const CodeEditor = late<CodeEditorProps>(async () => (await import('./code-mirror')).default, loading)
