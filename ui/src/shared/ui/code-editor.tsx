import { lazy, Suspense } from 'react'
import type { CodeEditorProps } from './code-mirror'
import { Loading } from './states'

export type { CodeEditorProps, CodeCompleter, CodeCompletion, CodeDiagnostic } from './code-mirror'

const CodeMirror = lazy(() => import('./code-mirror'))

/** A code editor that comes when it is needed. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<div className="rounded-lg border border-line bg-surface"><Loading /></div>}>
      <CodeMirror {...props} />
    </Suspense>
  )
}
