import { useId, useMemo, useState } from 'react'
import { useWords } from '../../../shared/lib/i18n'
import { Button, Notice, useToast } from '../../../shared/ui'
import { useCalls } from '../call/calls'
import type { Asking, Question } from '../call/questions'
import { findProblems, SchemaForm } from '../form/form'
import { emptyObject, type Json } from '../../../shared/lib/json'
import { settle } from '../schema/value'
import { blank, documentOf, type FormState } from '../store'
import { words } from '../words'
import { isWeb } from './parts'

/** The server asks before it goes on: a form for each question, and three ways to answer. */
export function AskingView({ tool, asking }: { tool: string; asking: Asking }) {
  const w = useWords(words)
  const toast = useToast()
  const answer = useCalls((state) => state.answer)
  const [forms, setForms] = useState<Readonly<Record<string, FormState>>>({})
  const [tried, setTried] = useState(false)
  const accept = () => {
    setTried(true)
    const contents: Record<string, Json> = {}
    for (const { key, url, schema } of asking.questions) {
      if (url !== undefined) continue
      const { json, drafts } = settle((forms[key] ?? firstForm(schema)).value)
      if (drafts.length > 0) return toast({ tone: 'bad', title: w.jsonStop, text: w.draftStop })
      contents[key] = json
    }
    answer(tool, 'accept', contents)
  }
  return (
    <div role="group" aria-label={w.asking} className="flex animate-fade flex-col gap-4 rounded-xl border border-accent bg-surface p-5">
      <Notice tone="info">{w.askingText}</Notice>
      {asking.questions.map((question) => (
        <QuestionForm
          key={question.key}
          question={question}
          form={forms[question.key]}
          strict={tried}
          onChange={(form) => setForms((all) => ({ ...all, [question.key]: form }))}
        />
      ))}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" icon="check" onClick={accept}>{w.accept}</Button>
        <Button onClick={() => answer(tool, 'decline')}>{w.decline}</Button>
        <Button look="quiet" onClick={() => answer(tool, 'cancel')}>{w.cancel}</Button>
      </div>
    </div>
  )
}

function firstForm(schema: Json): FormState {
  const document = documentOf(schema)
  return blank(document.initial(document.root) ?? emptyObject())
}

interface QuestionFormProps {
  question: Question
  form: FormState | undefined
  strict: boolean
  onChange: (form: FormState) => void
}

function QuestionForm({ question, form, strict, onChange }: QuestionFormProps) {
  const document = useMemo(() => documentOf(question.schema), [question.schema])
  const first = useMemo(() => firstForm(question.schema), [question.schema])
  const now = form ?? first
  const { url } = question
  const title = useId()
  return (
    <section className="flex flex-col gap-3">
      <p id={title} className="text-[13px] font-medium whitespace-pre-line [overflow-wrap:anywhere]">{question.message}</p>
      {url !== undefined ? (
        isWeb(url) ? <a href={url} target="_blank" rel="noreferrer noopener" className="font-mono text-xs text-accent-text underline [overflow-wrap:anywhere]">{url}</a> : <code className="text-xs">{url}</code>
      ) : (
        <SchemaForm document={document} form={now} update={(change) => onChange({ ...now, ...change(now) })} problems={findProblems(document, now.value) ?? []} strict={strict} labelledBy={title} />
      )}
    </section>
  )
}
