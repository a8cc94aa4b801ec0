import { sayingOf, sayingOfScript, type Saying } from '../api/failures'
import { useLanguage } from '../lib/i18n'

/** Why something failed, in the language of the page; the gateway's own words below where they tell more. */
export function Failure({ error }: { error: unknown }) {
  const { language } = useLanguage()
  return <Told saying={sayingOf(error, language)} />
}

/** The same of a script. */
export function ScriptFailure({ error }: { error: Parameters<typeof sayingOfScript>[0] }) {
  const { language } = useLanguage()
  return <Told saying={sayingOfScript(error, language)} />
}

/** A sentence of the page with the gateway's own below it. */
export function Told({ saying: { text, own } }: { saying: Saying }) {
  return (
    <>
      {text}
      {own && <span lang="en" className="mt-0.5 block text-xs opacity-90">{own}</span>}
    </>
  )
}
