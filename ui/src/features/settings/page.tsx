import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../shared/api/client'
import { useMay } from '../../shared/lib/access'
import { useLanguage, useWords, type Language } from '../../shared/lib/i18n'
import { useTheme, type Theme } from '../../shared/lib/theme'
import { Card, Field, Notice, Page, Select } from '../../shared/ui'
import { Config } from './config'
import { Keys } from './keys/card'
import { Move } from './move'
import { words } from './words'

/** What the gateway and this page are set to. */
export function SettingsPage() {
  const w = useWords(words)
  const mayRun = useMay('operator')
  const health = useQuery({ queryKey: ['health'], queryFn: ({ signal }) => unwrap(api.GET('/health', { signal })) })
  return (
    <Page title={w.title}>
      <div className="flex flex-col gap-4">
        {health.data?.open && <Notice tone="warn">{w.open}</Notice>}
        <Appearance />
        {mayRun && <Keys />}
        <Move />
        <Config />
      </div>
    </Page>
  )
}

function Appearance() {
  const w = useWords(words)
  const { language, setLanguage } = useLanguage()
  const { theme, setTheme } = useTheme()
  const themes: Theme[] = ['system', 'light', 'dark']
  return (
    <Card title={w.appearance}>
      <div className="grid max-w-xl gap-4 sm:grid-cols-2">
        <Field label={w.language}>
          {(ids) => (
            <Select
              {...ids}
              value={language}
              onValueChange={(value) => setLanguage(value as Language)}
              options={[{ value: 'en', label: 'English' }, { value: 'ja', label: '日本語' }]}
            />
          )}
        </Field>
        <Field label={w.theme}>
          {(ids) => <Select {...ids} value={theme} onValueChange={(value) => setTheme(value as Theme)} options={themes.map((value) => ({ value, label: w[value] }))} />}
        </Field>
      </div>
    </Card>
  )
}
