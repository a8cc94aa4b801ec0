import { useEffect, useState } from 'react'
import { api } from '../../../../shared/api/client'
import { useMay } from '../../../../shared/lib/access'
import { useWords } from '../../../../shared/lib/i18n'
import { CodeEditor, type CodeDiagnostic, Dialog, IconButton } from '../../../../shared/ui'
import { words } from '../nodes/words'
import { useEditor } from '../store'
import { completions, sessionCompletions } from './completions'

interface ScriptFieldProps {
  label: string
  hint?: string
  value: string
  onChange: (value: string) => void
  /** Whether it is one expression, not the body of a function. */
  expression?: boolean
}

/** A script, checked by the engine that runs it while it is typed. */
export function ScriptField({ label, hint, value, onChange, expression }: ScriptFieldProps) {
  const w = useWords(words)
  const [large, setLarge] = useState(false)
  const isSession = useEditor((state) => state.doc.workflowType === 'session')
  const readOnly = useEditor((state) => state.readOnly)
  const diagnostics = useSyntax(value, expression === true)
  const editor = {
    language: 'javascript' as const,
    label,
    value,
    onChange: (text: string) => text !== value && onChange(text),
    completions: isSession ? sessionCompletions : completions,
    diagnostics,
    readOnly,
  }
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="flex items-center justify-between text-[13px] font-medium">
        {label}
        <IconButton icon="fit" size="small" label={`${label}: ${w.enlarge}`} onClick={() => setLarge(true)} />
      </span>
      <CodeEditor {...editor} className={expression ? 'h-24' : 'h-64'} />
      {hint && <p className="text-xs text-faint">{hint}</p>}
      <Mistakes list={diagnostics} />
      <Dialog size="large" open={large} onOpenChange={setLarge} title={label}>
        <CodeEditor {...editor} className="h-[60vh]" />
        <Mistakes list={diagnostics} />
      </Dialog>
    </div>
  )
}

function Mistakes({ list }: { list: readonly CodeDiagnostic[] }) {
  return list.map(({ line, column, message }) => (
    <p key={message} className="text-xs text-bad-text [overflow-wrap:anywhere]">
      {line}:{column} {message}
    </p>
  ))
}

/** What the engine says of a script, a moment after the last key. */
function useSyntax(text: string, isExpression: boolean): CodeDiagnostic[] {
  const [found, setFound] = useState<{ text: string; list: CodeDiagnostic[] }>({ text: '', list: [] })
  const mayEdit = useMay('editor')
  useEffect(() => {
    if (!mayEdit || text.trim() === '') return
    const stop = new AbortController()
    const ask = async () => {
      // The line break keeps the columns of an expression as they are typed.
      const script = isExpression ? `return (\n${text}\n)` : text
      const { data } = await api.POST('/api/hooks/validate', { body: { script }, signal: stop.signal })
      if (data) setFound({ text, list: data.valid ? [] : [diagnosticOf(data, isExpression ? 1 : 0)] })
    }
    const timer = setTimeout(() => void ask().catch(() => {}), 350)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text, isExpression, mayEdit])
  return found.text === text ? found.list : NONE
}

const NONE: CodeDiagnostic[] = []

interface Told {
  error?: string | null
  line?: number | null
  column?: number | null
}

function diagnosticOf({ error, line, column }: Told, offset: number): CodeDiagnostic {
  return { line: Math.max(1, (line ?? 1) - offset), column: column ?? 1, message: error ?? '' }
}
