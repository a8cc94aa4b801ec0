import { readFile, writeFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { axe, demo, gateway, open, profile, shot } from './support'

test('after a restart of the gateway every tab is live again by itself and shows what changed meanwhile', async () => {
  const lockgate = await gateway()
  onTestFinished(() => lockgate.stop())
  const context = await profile()
  const allow = /ERR_|Failed to load resource|502/
  const servers = await open(lockgate, '#/servers', { context, allow })
  const hooks = await open(lockgate, '#/hooks', { context, allow })
  const pages = [servers, hooks]
  for (const page of pages) await page.locator('[data-link="live"]').waitFor()
  await servers.locator('[data-server="health-server"]').waitFor()

  await lockgate.restart(async () => {
    for (const page of pages) {
      await page.locator('[data-link="offline"]').waitFor()
      await page.getByRole('alert').filter({ hasText: 'what you see may be old' }).waitFor()
    }
    // What was there stays, and the page stays usable.
    expect(await servers.locator('[data-server="health-server"]').count()).toBe(1)
    await axe(servers)
    await shot(servers, 'offline')
    const config = JSON.parse(await readFile(lockgate.config, 'utf8')) as { servers: object[] }
    await writeFile(lockgate.config, JSON.stringify({ ...config, servers: [...config.servers, { ...demo, name: 'added-meanwhile' }] }))
  })
  for (const page of pages) {
    await page.locator('[data-link="live"]').waitFor()
    await page.locator('[data-banner="offline"]').waitFor({ state: 'detached' })
  }
  await servers.locator('[data-server="added-meanwhile"]').waitFor()

  // And changes arrive as they happen, in all tabs.
  await lockgate.api('POST', 'api/hooks', { name: 'after the restart', hookType: 'pre', script: 'return { action: "continue" }' })
  await hooks.getByText('after the restart').first().waitFor()
})
