import { useQueryClient } from '@tanstack/react-query'
import { type ChangeEvent, useRef } from 'react'
import type { WorkflowView } from '../../../shared/api/types'
import { useWords } from '../../../shared/lib/i18n'
import { readJson, writeJson } from '../../../shared/lib/values'
import { useToast } from '../../../shared/ui'
import { exportWorkflow, importFile } from '../api'
import { words } from '../words'

/** Reads workflows and templates from files. */
export function useImport() {
  const w = useWords(words)
  const toast = useToast()
  const client = useQueryClient()
  const box = useRef<HTMLInputElement>(null)
  const read = async (event: ChangeEvent<HTMLInputElement>) => {
    const files = [...(event.target.files ?? [])]
    event.target.value = ''
    for (const file of files) {
      try {
        const { name, kind } = await importFile(readJson(await file.text()))
        toast({ tone: 'good', title: kind === 'template' ? w.importedTemplate(name) : w.imported(name) })
      } catch (error) {
        toast({ tone: 'bad', title: file.name, ...(error instanceof SyntaxError ? { text: w.importBad } : { error }) })
      }
    }
    await client.invalidateQueries({ queryKey: ['workflows'] })
  }
  const input = (
    <input
      ref={box}
      type="file"
      multiple
      accept="application/json,.json"
      aria-label={w.importFile}
      tabIndex={-1}
      className="hidden"
      onChange={(event) => void read(event)}
    />
  )
  return { input, choose: () => box.current?.click() }
}

/** Gives a workflow to the reader as a file. */
export function useExport() {
  const toast = useToast()
  return async (workflow: WorkflowView) => {
    try {
      const text = writeJson(await exportWorkflow(workflow.id), 2)
      const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
      const link = document.createElement('a')
      link.href = address
      link.download = `${workflow.name.replace(/[^\p{L}\p{N}]+/gu, '-') || 'workflow'}.json`
      link.click()
      URL.revokeObjectURL(address)
    } catch (error) {
      toast({ tone: 'bad', error })
    }
  }
}
