import { writeJson } from '../../../shared/lib/values'
import { CopyButton, JsonView } from '../../../shared/ui'

/** A named JSON value, with what is large in it folded. */
export function Value({ title, value, depth = 2 }: { title: string; value: unknown; depth?: number }) {
  return (
    <section aria-label={title} className="flex flex-col gap-1.5">
      <h3 className="flex items-center justify-between text-[13px] font-medium">
        {title}
        <CopyButton text={() => writeJson(value, 2) ?? ''} />
      </h3>
      <JsonView value={value} depth={depth} className="max-h-96 overflow-auto rounded-lg border border-line bg-sunken p-2" />
    </section>
  )
}
