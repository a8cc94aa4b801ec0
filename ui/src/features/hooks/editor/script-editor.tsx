import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import { CodeEditor, Icon, type CodeCompleter } from '../../../shared/ui'
import { typesQuery } from '../api'
import { words } from '../words'
import { complete } from './complete'
import { useSyntax } from './use-syntax'

/** The script, with completions from the gateway's types and errors from the engine that runs it. */
export function ScriptEditor({ script, onChange, onSubmit }: { script: string; onChange: (script: string) => void; onSubmit: () => void }) {
  const w = useWords(words)
  const types = useQuery(typesQuery).data
  const { checking, result, diagnostics } = useSyntax(script)
  const completer = useCallback<CodeCompleter>(
    (before) => {
      const found = types && complete(types, before)
      return found && { from: found.from, options: found.options.map(({ kind, ...rest }) => ({ ...rest, type: kind })) }
    },
    [types],
  )
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-1.5">
      <CodeEditor language="javascript" label={w.scriptLabel} value={script} onChange={onChange} onSubmit={onSubmit} completions={completer} diagnostics={diagnostics} className="min-h-64 flex-1" />
      <p role="status" data-syntax={checking ? 'checking' : result?.valid === false ? 'bad' : 'good'} className="flex min-h-5 items-center gap-1.5 text-xs text-faint">
        {checking ? (
          w.checking
        ) : result?.valid === false ? (
          <span className="flex min-w-0 items-center gap-1.5 text-bad-text">
            <Icon name="warning" size={13} />
            <span className="min-w-0 [overflow-wrap:anywhere]">{w.syntaxBad}, {w.at(result.line ?? 1, result.column)}: {result.error?.replace(/^SyntaxError: /, '')}</span>
          </span>
        ) : (
          script.trim() !== '' && <span className="flex items-center gap-1.5 text-good-text"><Icon name="check" size={13} /> {w.syntaxGood}</span>
        )}
      </p>
    </div>
  )
}
