import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { reread } from './reread'

test('a first answer that was on its way when something happened is asked for again', async () => {
  const client = new QueryClient()
  const answers: ((value: string) => void)[] = []
  const queryFn = () => new Promise<string>((resolve) => answers.push(resolve))
  const observer = new QueryObserver(client, { queryKey: ['servers', 1], queryFn })
  const end = observer.subscribe(() => undefined)
  await expect.poll(() => answers.length).toBe(1)
  reread(client, 'servers')
  reread(client, 'tools')
  answers[0]?.('old')
  await expect.poll(() => answers.length).toBe(2)
  answers[1]?.('new')
  await expect.poll(() => observer.getCurrentResult().data).toBe('new')
  reread(client)
  await expect.poll(() => answers.length).toBe(3)
  end()
  client.clear()
})
