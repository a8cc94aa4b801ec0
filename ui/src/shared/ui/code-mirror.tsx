import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type Completion, type CompletionContext } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useEffectEvent, useRef } from 'react'
import { classes } from '../lib/classes'
import { useLanguage } from '../lib/i18n'
import { leaving, phrases } from './code-words'

/** What may be offered behind a path such as `context.`; an empty path is the start of an expression. */
export interface CodeCompletion {
  /** The text before the dot, for example `context` or `context.toolInput`; empty for names that stand alone. */
  path: string
  label: string
  detail?: string
  info?: string
  type?: 'variable' | 'function' | 'property' | 'method' | 'keyword' | 'text'
}

/** Says what may stand at the cursor, from the text before it, and where the word begins that it replaces. */
export type CodeCompleter = (before: string) => { from: number; options: Omit<CodeCompletion, 'path'>[] } | undefined

/** What is wrong, and where; line and column begin at 1. */
export interface CodeDiagnostic {
  line: number
  column: number
  message: string
  severity?: 'error' | 'warning'
}

export interface CodeEditorProps {
  value: string
  onChange?: (value: string) => void
  language: 'javascript' | 'json'
  /** What the editor holds, for screen readers. */
  label: string
  readOnly?: boolean
  completions?: CodeCompletion[] | CodeCompleter
  diagnostics?: CodeDiagnostic[]
  className?: string
  /** The keyboard's Ctrl+Enter or Cmd+Enter. */
  onSubmit?: () => void
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--info-text)' },
  { tag: [tags.string, tags.regexp], color: 'var(--good-text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn-text)' },
  { tag: [tags.propertyName, tags.function(tags.variableName)], color: 'var(--accent-text)' },
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--bad-text)' },
])

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'transparent', color: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono, ui-monospace, monospace)', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--accent)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 55%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 24%, transparent)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line)', borderRadius: '8px', overflow: 'hidden' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)' },
})

/** Marks a text that came from the owner of the editor: told of it as of an edit, he would take what is older for newer. */
const given = Annotation.define<true>()

function toOption({ label, detail, info, type }: Omit<CodeCompletion, 'path'>): Completion {
  return { label, type: type ?? 'property', ...(detail && { detail }), ...(info && { info }) }
}

/** Asks the owner of the editor what may stand at the cursor. */
function asked(completer: CodeCompleter) {
  return (context: CompletionContext) => {
    const found = completer(context.state.sliceDoc(0, context.pos))
    return found ? { from: found.from, options: found.options.map(toOption), validFor: /^[\w$]*$/ } : null
  }
}

/** Finds what may follow the cursor among the completions of the editor. */
function completer(all: CodeCompletion[]) {
  return (context: CompletionContext) => {
    const before = context.matchBefore(/[\w$.]+/)
    if (!before && !context.explicit) return null
    const text = before?.text ?? ''
    const dot = text.lastIndexOf('.')
    const path = dot < 0 ? '' : text.slice(0, dot)
    const options = all.filter((item) => item.path === path).map(toOption)
    if (options.length === 0) return null
    return { from: (before?.from ?? context.pos) + dot + 1, options, validFor: /^[\w$]*$/ }
  }
}

function toDiagnostics(state: EditorState, found: CodeDiagnostic[]): Diagnostic[] {
  return found.map(({ line, column, message, severity }) => {
    const row = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines))
    const from = Math.min(row.from + Math.max(column - 1, 0), row.to)
    return { from, to: Math.min(from + 1, row.to), message, severity: severity ?? 'error' }
  })
}

/** CodeMirror in the colours of the page. Import `CodeEditor` instead: it loads this on demand. */
export default function CodeMirror({ value, onChange, language, label, readOnly, completions, diagnostics, className, onSubmit }: CodeEditorProps) {
  const spoken = useLanguage().language
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const changing = useRef(new Compartment())
  const changed = useEffectEvent((text: string) => onChange?.(text))
  const submitted = useEffectEvent(() => onSubmit?.())
  const current = useEffectEvent(() => value)

  useEffect(() => {
    const parent = host.current
    if (!parent) return
    const extensions: Extension[] = [
      lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(),
      highlightSelectionMatches(), syntaxHighlighting(colours), look, lintGutter(), EditorView.lineWrapping,
      // Scripts may have types.
      language === 'json' ? json() : javascript({ typescript: true }),
      keymap.of([{ key: 'Mod-Enter', run: () => (submitted(), true) }]),
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap]),
      // A script wants its indents. A value does not, and Tab goes on to the next field.
      language === 'json' ? [] : keymap.of([indentWithTab]),
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorView.updateListener.of((update) => {
        if (update.transactions.some((one) => one.docChanged && !one.annotation(given))) changed(update.state.doc.toString())
      }),
      changing.current.of([]),
    ]
    const made = new EditorView({ parent, state: EditorState.create({ doc: current(), extensions }) })
    view.current = made
    return () => {
      made.destroy()
      view.current = null
    }
  }, [language, label])

  useEffect(() => {
    const extensions: Extension[] = [EditorState.readOnly.of(readOnly ?? false), EditorState.phrases.of(phrases[spoken])]
    if (language === 'javascript') extensions.push(EditorView.contentAttributes.of({ 'aria-description': leaving[spoken] }))
    if (completions) extensions.push(autocompletion({ override: [typeof completions === 'function' ? asked(completions) : completer(completions)] }))
    view.current?.dispatch({ effects: changing.current.reconfigure(extensions) })
  }, [readOnly, completions, language, label, spoken])

  useEffect(() => {
    const editor = view.current
    if (!editor || editor.state.doc.toString() === value) return
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value }, annotations: given.of(true) })
  }, [value])

  useEffect(() => {
    const editor = view.current
    if (editor) editor.dispatch(setDiagnostics(editor.state, toDiagnostics(editor.state, diagnostics ?? [])))
  }, [diagnostics, language, label])

  return (
    <div
      ref={host}
      className={classes('min-h-24 overflow-hidden rounded-lg border border-control focus-within:border-accent focus-within:ring-1 focus-within:ring-accent', readOnly ? 'bg-sunken' : 'bg-surface', className)}
    />
  )
}
